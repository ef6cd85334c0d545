/*
 * Description: open a file that exists and close it again.
 *
 * Operation: one open(O_RDONLY) of a path of `names` names, relative to the current folder, and one close().
 * After lmbench's lat_syscall open, whose default file has a path of four names.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "wl.h"

enum { MOST_NAMES = 64 };

static long names = 1;
static char path[2 * MOST_NAMES] = "f";

/* d/d/.../f, in a folder of the workload's own. */
static void setup(void)
{
	const char *folder = wl_tmp("-open");
	int fd;

	if (mkdir(folder, 0700) || chdir(folder))
		wl_fail(folder);
	for (long i = 0; i < names - 1; i++) {
		memcpy(path + 2 * i, "d", sizeof("d"));
		if (mkdir(path, 0700))
			wl_fail(path);
		memcpy(path + 2 * i, "d/f", sizeof("d/f"));
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || close(fd))
		wl_fail(path);
}

static inline void open_close(void)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		wl_fail(path);
	close(fd);
}

static void run(long units)
{
	WL_LOOP(units, open_close());
}

static void teardown(void)
{
	unlink(path);
	for (long i = names - 2; i >= 0; i--) {
		path[2 * i + 1] = '\0';
		rmdir(path);
	}
	/* Back to where the folder lies: $TMPDIR may be relative. */
	if (!chdir(".."))
		rmdir(strrchr(wl_tmp("-open"), '/') + 1);
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { "names", &names, 1, MOST_NAMES - 1, NULL }, { 0 } };
	static const struct wl wl = {
		.name = "open", .params = params, .setup = setup, .run = run, .teardown = teardown,
	};

	return wl_main(&wl, argc, argv);
}
