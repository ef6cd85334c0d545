/*
 * Description: select() on N descriptors of one regular file, none of them waited for.
 *
 * Operation: one select() with a zero timeout. After lmbench's lat_select file.
 */
#include <fcntl.h>
#include <sys/select.h>

#include "wl.h"

static long descriptors = 200;
static fd_set watched;
static int highest;

static void setup(void)
{
	const char *file = wl_tmp("-select");
	int fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		wl_fail(file);
	unlink(file);
	FD_ZERO(&watched);
	for (long i = 0; i < descriptors; i++) {
		highest = dup(fd);
		if (highest < 0 && errno == EMFILE)
			wl_exit(WL_NOT_HERE, "%ld descriptors are more than ulimit -n allows", descriptors);
		if (highest < 0)
			wl_fail("dup");
		if (highest >= FD_SETSIZE)
			wl_exit(WL_MISUSED, "%ld descriptors are more than select() takes (%d)", descriptors, FD_SETSIZE);
		FD_SET(highest, &watched);
	}
}

static inline void poll_once(void)
{
	fd_set ready = watched;
	struct timeval now = { 0, 0 };

	if (select(highest + 1, NULL, &ready, NULL, &now) != descriptors)
		wl_fail("select");
}

static void run(long units)
{
	WL_LOOP(units, poll_once());
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { "descriptors", &descriptors, 1, 1000, NULL }, { 0 } };
	static const struct wl wl = { .name = "select", .params = params, .setup = setup, .run = run };

	return wl_main(&wl, argc, argv);
}
