/*
 * Description: small files are made, deleted, or live a short life, in a folder of the workload's own.
 *
 * Operation, by `work`, on files of `size` bytes:
 *   work=create   open(O_CREAT|O_EXCL), write, close; the files are deleted outside the timed loop
 *   work=delete   unlink(); the files are made outside the timed loop
 *   work=small    the life of a message in a mail spool: created and written under a passing name, renamed, opened, read, deleted
 *
 * create and delete are after lmbench's lat_fs, which lays the files out in folders of a hundred; here all lie in one. Nothing is
 * synchronised: what is measured is the file system's work in memory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "wl.h"

/* The files of one calibrated iteration: few enough for a guest's file system in memory, however large a file is. */
enum { MOST_SIZE = 1048576, MOST_FILES = 16384, MOST_BYTES = 64 * MOST_SIZE, NAME = 20 };

static const char *work = "create";
static long size;
static char (*names)[NAME];
static long named;
static char content[MOST_SIZE];

__attribute__((noreturn))
static void give_up(const char *call, const char *name)
{
	int error = errno;

	wl_exit(WL_FAILED, "%s of file %s of %ld bytes in %s: %s", call, name, size, wl_tmp("-file"), strerror(error));
}

static inline void write_and_close(int fd, const char *name)
{
	/* A file system that is full takes a part, and says why only when it is asked for the rest. */
	for (long done = 0; done < size;) {
		ssize_t n = write(fd, content + done, (size_t)(size - done));

		if (n < 0)
			give_up("write", name);
		done += n;
	}
	if (close(fd))
		give_up("close", name);
}

static inline void create(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		give_up("open", name);
	write_and_close(fd, name);
}

static inline void delete(const char *name)
{
	if (unlink(name))
		give_up("unlink", name);
}

static inline void live(const char *name)
{
	static const char passing[] = "new";
	int fd;

	create(passing);
	if (rename(passing, name))
		give_up("rename", name);
	fd = open(name, O_RDONLY);
	if (fd < 0)
		give_up("open", name);
	if (size)
		wl_read(fd, content, (size_t)size);
	close(fd);
	delete(name);
}

/* At every end but by a signal. What is in the folder is what was made: a failure may have come half-way. */
static void clean_up(void)
{
	DIR *folder = opendir(".");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlink(entry->d_name);
	if (folder)
		closedir(folder);
	/* Back to where the folder lies: $TMPDIR may be relative. */
	if (!chdir(".."))
		rmdir(strrchr(wl_tmp("-file"), '/') + 1);
}

static struct wl wl;

static void setup(void)
{
	const char *folder = wl_tmp("-file");

	if (strcmp(work, "create") && strcmp(work, "delete") && strcmp(work, "small"))
		wl_exit(WL_MISUSED, "work=%s: create, delete or small is needed", work);
	if (mkdir(folder, 0700) || chdir(folder))
		wl_fail(folder);
	atexit(clean_up);
	memset(content, 'x', (size_t)size);
	wl.most_units = size > MOST_BYTES / MOST_FILES ? MOST_BYTES / size : MOST_FILES;
}

/* All names of an iteration are there before it: the loop formats no numbers. */
static void make_names(long units)
{
	if (named == units)
		return;
	free(names);
	names = calloc((size_t)units, sizeof(*names));
	if (!names)
		wl_fail("names");
	for (long i = 0; i < units; i++)
		snprintf(names[i], sizeof(names[i]), "%010lx", (unsigned long)i);
	named = units;
}

static void prepare(long units)
{
	make_names(units);
	if (!strcmp(work, "delete"))
		for (long i = 0; i < units; i++)
			create(names[i]);
}

static void run(long units)
{
	const char (*name)[NAME] = names;

	if (!strcmp(work, "create"))
		WL_LOOP(units, create(*name++));
	else if (!strcmp(work, "delete"))
		WL_LOOP(units, delete(*name++));
	else
		WL_LOOP(units, live(*name++));
}

static void finish(long units)
{
	if (!strcmp(work, "create"))
		for (long i = 0; i < units; i++)
			delete(names[i]);
}

static const struct wl_param params[] = { { "size", &size, 0, MOST_SIZE, NULL }, { .name = "work", .text = &work }, { 0 } };

static struct wl wl = {
	.name = "file", .params = params, .setup = setup, .prepare = prepare, .run = run, .finish = finish,
};

int main(int argc, char **argv)
{
	return wl_main(&wl, argc, argv);
}
