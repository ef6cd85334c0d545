/*
 * Description: what a variant's file system needs: modules loaded, a device filled, the file system mounted and looked at.
 */
#ifndef KDELTA_GUEST_DEVICE_H
#define KDELTA_GUEST_DEVICE_H

#include <linux/fs.h>
#include <mntent.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "program.h"
#include "say.h"
#include "setting.h"

/* ---- the kernel's reason, which an error number does not give ---- */

enum { LOG_READ_ALL = 3, LOG_TAIL = 4096 };

/* The last line of the kernel's log, without its level and time. */
static void last_words(char *line, size_t size)
{
	static char text[LOG_TAIL];
	int got = klogctl(LOG_READ_ALL, text, sizeof(text) - 1);
	char *last, *after;

	if (got > 0 && text[got - 1] == '\n')
		got--;
	text[got > 0 ? got : 0] = '\0';
	last = strrchr(text, '\n');
	last = last ? last + 1 : text;
	after = strstr(last, "] ");
	snprintf(line, size, "%s", after ? after + 2 : last);
}

static char words_before[LOG_TAIL];

static void note_log(void)
{
	last_words(words_before, sizeof(words_before));
}

/* Refuse with errno, and with what the kernel has said since note_log(). */
__attribute__((noreturn))
static void refuse_with_log(const char *what)
{
	static char words[LOG_TAIL], why[LOG_TAIL + 128];
	const char *error = strerror(errno);

	last_words(words, sizeof(words));
	if (!strcmp(words, words_before))
		refuse(what, error);
	snprintf(why, sizeof(why), "%s; the kernel says: %s", error, words);
	refuse(what, why);
}

/* ---- modules, device, mount ---- */

/* The file is not needed again: its memory is given back. */
static void load_module(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	note_log();
	if (fd < 0 || syscall(SYS_finit_module, fd, parameters, 0))
		refuse_with_log(path);
	close(fd);
	unlink(path);
}

/* O_DIRECT: not a page of the device stays in the page cache, so that every mount begins with none. */
static int open_device(const char *path, uint64_t wanted)
{
	int fd = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	char why[128];
	uint64_t size = 0;

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size))
		refuse(path, strerror(errno));
	snprintf(why, sizeof(why), "has %llu bytes and not %llu", (unsigned long long)size, (unsigned long long)wanted);
	if (size != wanted)
		refuse(path, why);
	return fd;
}

/* The file's form: offset and size, 64 bits each and whole blocks, and so many bytes for that place; and again. */
static void fill_device(const char *path, uint64_t size, const char *blocks)
{
	enum { CHUNK = 1 << 16 };
	static char chunk[CHUNK] __attribute__((aligned(4096)));
	int to = open_device(path, size), from = open(blocks, O_RDONLY | O_CLOEXEC);
	uint64_t head[2];

	while (read(from, head, sizeof(head)) == sizeof(head))
		for (uint64_t done = 0; done < head[1];) {
			size_t part = head[1] - done < CHUNK ? head[1] - done : CHUNK;

			if (read(from, chunk, part) != (ssize_t)part)
				refuse(blocks, "is cut off");
			if (pwrite(to, chunk, part, (off_t)(head[0] + done)) != (ssize_t)part)
				refuse(path, strerror(errno));
			done += part;
		}
	if (from < 0 || close(from) || close(to) || unlink(blocks))
		refuse(blocks, strerror(errno));
}

/* What is mounted must be what was asked for: its type, and every flag that the kernel shows. */
static void require_mounted(const char *type, char *shown)
{
	static const char *const flags[] = {
		"ro", "sync", "dirsync", "mand", "lazytime", "nosuid", "nodev", "noexec", "noatime", "nodiratime",
		"relatime", "nosymfollow",
	};
	const struct mntent wanted = { .mnt_opts = shown };
	const struct mntent *found;
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	static char why[2 * MOST_VALUE];
	bool same;

	while (mounts && (found = getmntent(mounts)) && strcmp(found->mnt_dir, MOUNT_FOLDER))
		;
	if (!mounts || !found)
		refuse(MOUNT_FOLDER, "is not among the mounts");
	same = !strcmp(found->mnt_type, type);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		same = same && !hasmntopt(&wanted, flags[i]) == !hasmntopt(found, flags[i]);
	snprintf(why, sizeof(why), "was asked for as '%s' but reads back as %s '%s'", shown, found->mnt_type, found->mnt_opts);
	if (!same)
		refuse(type, why);
	endmntent(mounts);
}

static void mount_device(const char *type, const char *device, unsigned long flags, const char *rest, char *shown)
{
	mkdir(MOUNT_FOLDER, 0755);
	note_log();
	if (mount(device, MOUNT_FOLDER, type, flags, *rest ? rest : NULL))
		refuse_with_log(type);
	require_mounted(type, shown);
	tmpdir = "TMPDIR=" MOUNT_FOLDER;
	mounted = true;
}

#endif
