/*
 * Description: what every workload shares: its command line, its clock, the marker around the timed loop, and its output.
 *
 * A workload fills in one `struct wl` and calls wl_main(). It runs in one of two modes:
 *
 *   --operations N     a fixed number of operations in each iteration (exact mode: the work must not depend on the clock)
 *   --interval-ms N    calibrated: operations are doubled until one iteration takes N milliseconds
 *
 * Each iteration prints one JSON object on a line of its own:
 *
 *   {"iteration": 0, "operations": 1000, "elapsed_ns": 326300, "warmup": false}
 *
 * elapsed_ns is raw: no overhead is subtracted from it. Exit status: 0 fine, 1 failed, 2 misused, 77 not possible here.
 */
#ifndef KDELTA_WL_H
#define KDELTA_WL_H

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "marker.h"

enum { WL_FINE = 0, WL_FAILED = 1, WL_MISUSED = 2, WL_NOT_HERE = 77 };

/* One `name=value` word of the command line. `text` parameters are words, the others whole numbers in [min, max]. */
struct wl_param {
	const char *name;
	long *number;
	long min, max;
	const char **text;
};

struct wl {
	const char *name;
	const struct wl_param *params;	/* ends with a NULL name; NULL for none */
	void (*setup)(void);		/* once, before anything is timed */
	long (*per_unit)(void);		/* operations that one unit of run() stands for; NULL for 1 */
	void (*prepare)(long units);	/* before each iteration, not timed */
	void (*run)(long units);	/* the timed loop */
	void (*finish)(long units);	/* after each iteration, not timed */
	void (*teardown)(void);		/* once, at the end */
	long most_units;		/* an upper bound for calibration; 0 for none */
};

/* getppid() calls added to every operation, later to every unit: a known change, to check the measurement with. */
static long wl_getppid;

/*
 * The loop of a workload: nothing but the operation, and the counter. The known change has a loop of its own, which adds to
 * each call what the null benchmark's loop adds to it.
 */
#define WL_LOOP(n, operation)							\
	do {									\
		if (!wl_getppid) {						\
			for (long wl_i = 0; wl_i < (n); wl_i++)			\
				operation;					\
			break;							\
		}								\
		for (long wl_i = 0; wl_i < (n); wl_i++) {			\
			long wl_k = wl_getppid;					\
										\
			operation;						\
			do							\
				getppid();					\
			while (--wl_k);						\
		}								\
	} while (0)

__attribute__((noreturn, format(printf, 2, 3)))
static void wl_exit(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

__attribute__((noreturn, unused))
static void wl_fail(const char *what)
{
	wl_exit(WL_FAILED, "%s: %s", what, strerror(errno));
}

static int64_t wl_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Write the whole of a small message, or read it: a workload that loses a byte has failed, it has not slowed down. */
__attribute__((unused))
static inline void wl_write(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		wl_fail("write");
}

__attribute__((unused))
static inline void wl_read(int fd, void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(fd, (char *)data + done, size - done);

		if (got <= 0)
			wl_fail("read");
		done += (size_t)got;
	}
}

/* A file or folder of the workload's own: below $TMPDIR, or /tmp. */
__attribute__((unused))
static const char *wl_tmp(const char *name)
{
	static char path[4096];
	const char *base = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/kdelta-%d%s", base ? base : "/tmp", getpid(), name);
	return path;
}

/*
 * Where KDELTA_PROFILE names a folder, `control` and `ack` in it are the two FIFOs of `perf record --control` (Linux 5.9), which
 * is enabled right before each measured iteration and disabled right after it, outside of what is timed. Opened so that a profiler
 * that has gone away is an end of `ack`, and neither a signal nor a wait for ever: the workload then goes on without it.
 */
static int wl_control, wl_ack;	/* 0 for none: without them, no byte of the program's data is another */

static int wl_fifo(const char *folder, const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETFL, 0))
		wl_fail(path);
	return fd;
}

static void wl_open_window(void)
{
	const char *folder = getenv("KDELTA_PROFILE");

	if (!folder)
		return;
	wl_ack = wl_fifo(folder, "ack", O_RDONLY);
	wl_control = wl_fifo(folder, "control", O_RDWR);
}

/* The answer is "ack\n" and, of most releases, its final zero. Not inlined: the frame of the timed loop stays as it is. */
__attribute__((noinline))
static void wl_window(const char *word)
{
	char answer[16];
	ssize_t got;

	if (!wl_control)
		return;
	wl_write(wl_control, word, strlen(word));
	do
		got = read(wl_ack, answer, sizeof(answer));
	while (got > 0 ? !memchr(answer, '\n', (size_t)got) : got < 0 && errno == EINTR);
	if (got <= 0)
		wl_control = 0;
}

struct wl_options {
	long operations, interval_ms, iterations, warmup, cpu;
};

static long wl_number(const char *what, const char *word, long min, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(word, &end, 10);
	if (errno || end == word || *end || value < min || value > max)
		wl_exit(WL_MISUSED, "%s=%s: a whole number from %ld to %ld is needed", what, word, min, max);
	return value;
}

static void wl_set(const struct wl *wl, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		wl_exit(WL_MISUSED, "%s: '%s' is not name=value", wl->name, word);
	*value++ = '\0';
	for (const struct wl_param *p = wl->params; p && p->name; p++) {
		if (strcmp(p->name, word))
			continue;
		if (p->text)
			*p->text = value;
		else
			*p->number = wl_number(word, value, p->min, p->max);
		return;
	}
	wl_exit(WL_MISUSED, "%s has no parameter '%s'", wl->name, word);
}

static struct wl_options wl_parse(const struct wl *wl, int argc, char **argv)
{
	static const struct option known[] = {
		{ "operations", required_argument, NULL, 'o' },	{ "interval-ms", required_argument, NULL, 'm' },
		{ "iterations", required_argument, NULL, 'i' },	{ "warmup", required_argument, NULL, 'w' },
		{ "cpu", required_argument, NULL, 'c' },	{ "getppid", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	struct wl_options options = { .interval_ms = 100, .iterations = 3, .warmup = 1, .cpu = -1 };
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 'o': options.operations = wl_number("operations", optarg, 1, INT64_C(1) << 40); break;
		case 'm': options.interval_ms = wl_number("interval-ms", optarg, 1, 3600000); break;
		case 'i': options.iterations = wl_number("iterations", optarg, 1, 1000000); break;
		case 'w': options.warmup = wl_number("warmup", optarg, 0, 1000000); break;
		case 'c': options.cpu = wl_number("cpu", optarg, 0, CPU_SETSIZE - 1); break;
		case 'g': wl_getppid = wl_number("getppid", optarg, 0, 1000000); break;
		default: exit(WL_MISUSED);
		}
	}
	while (optind < argc)
		wl_set(wl, argv[optind++]);
	return options;
}

static void wl_pin(long cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		wl_exit(WL_NOT_HERE, "cpu %ld: %s", cpu, strerror(errno));
}

/* One iteration. Only measured ones carry the marker and have a window: a profile must not hold the warm-up. */
static int64_t wl_time(const struct wl *wl, long units, bool marked)
{
	int64_t start, stop;

	if (wl->prepare)
		wl->prepare(units);
	if (marked)
		wl_window("enable\n");
	start = wl_now_ns();
	if (marked)
		MARK(MARK_BEGIN);
	wl->run(units);
	if (marked)
		MARK(MARK_END);
	stop = wl_now_ns();
	if (marked)
		wl_window("disable\n");
	if (wl->finish)
		wl->finish(units);
	if (stop <= start)
		wl_exit(WL_FAILED, "the clock did not advance: %lld ns over %ld units", (long long)(stop - start), units);
	return stop - start;
}

static long wl_calibrate(const struct wl *wl, long interval_ms)
{
	long units = 1;

	while (wl_time(wl, units, false) < interval_ms * INT64_C(1000000)) {
		if (wl->most_units && units * 2 > wl->most_units)
			break;
		units *= 2;
	}
	return units;
}

__attribute__((noinline))
static int wl_measure(const struct wl *wl, struct wl_options options)
{
	long per_unit, units;

	wl_pin(options.cpu);
	wl_open_window();
	if (wl->setup)
		wl->setup();
	per_unit = wl->per_unit ? wl->per_unit() : 1;
	wl_getppid *= per_unit;
	units = options.operations ? (options.operations + per_unit - 1) / per_unit
				   : wl_calibrate(wl, options.interval_ms);
	for (long i = -options.warmup; i < options.iterations; i++) {
		int64_t elapsed = wl_time(wl, units, i >= 0);

		printf("{\"iteration\": %ld, \"operations\": %ld, \"elapsed_ns\": %lld, \"warmup\": %s}\n",
		       i, units * per_unit, (long long)elapsed, i < 0 ? "true" : "false");
	}
	if (wl->teardown)
		wl->teardown();
	if (fflush(stdout) || ferror(stdout))
		wl_fail("stdout");
	return WL_FINE;
}

/*
 * The kernel starts the stack at a random place within a page, so a loop's frames lie in one page or in two, and a fork then
 * costs a page copied more: luck of the program, not of the kernel. From here down the stack begins at the top of a page.
 */
__attribute__((unused))
static int wl_main(const struct wl *wl, int argc, char **argv)
{
	struct wl_options options = wl_parse(wl, argc, argv);
	volatile char *rest_of_page = alloca((uintptr_t)__builtin_frame_address(0) % 4096 + 1);

	*rest_of_page = 0;
	return wl_measure(wl, options);
}

#endif
