/*
 * Description: preloaded into mkfs, so that the same words make the same file system to the last byte: its clock stands still,
 * and what it draws by chance is a counter.
 *
 * The makers' own means do not reach so far: E2FSPROGS_FAKE_TIME is e2fsprogs' alone, mkfs.xfs knows SOURCE_DATE_EPOCH since
 * xfsprogs 6.14 only, and mkfs.btrfs has no word for the identifier of the tree of chunks.
 */
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { START = 1577836800 };	/* 2020-01-01, where the guest's clock starts too */

EXPORT void uuid_generate(unsigned char *uuid);
EXPORT void uuid_generate_random(unsigned char *uuid);
EXPORT void uuid_generate_time(unsigned char *uuid);

EXPORT time_t time(time_t *now)
{
	if (now)
		*now = START;
	return START;
}

EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	*now = (struct timeval){ .tv_sec = START };
	return 0;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = START };
	return 0;
}

static void count(void *to, size_t size)
{
	static uint64_t calls;

	calls++;
	memset(to, 0, size);
	memcpy(to, &calls, size < sizeof(calls) ? size : sizeof(calls));
}

EXPORT ssize_t getrandom(void *to, size_t size, unsigned int flags)
{
	(void)flags;
	count(to, size);
	return (ssize_t)size;
}

/* A random UUID's version and variant, RFC 4122, section 4.4. */
void uuid_generate(unsigned char *uuid)
{
	count(uuid, 16);
	uuid[6] = 0x40;
	uuid[8] = 0x80;
}

void uuid_generate_random(unsigned char *uuid)
{
	uuid_generate(uuid);
}

void uuid_generate_time(unsigned char *uuid)
{
	uuid_generate(uuid);
}
