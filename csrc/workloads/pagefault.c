/*
 * Description: touch pages for the first time: fresh ones, or those of a file that is in memory; in one process or in many at once.
 *
 * Operation: one page touched by one process, and its part of the unmapping; the mapping is made outside the timed loop.
 *   pages=fresh   private memory, written in ascending order: the kernel finds, clears and charges a page each time
 *   pages=file    a shared mapping of a cached file, read in shuffled order as lmbench's lat_pagefault does. The kernel maps
 *                 neighbours along (fault_around_bytes), so there are fewer faults than pages touched, as there
 *
 * lat_pagefault subtracts the time to map and unmap without touching, so what it prints holds the unmapping of touched pages too.
 *
 * With procs=N, N processes do this at once, each in a mapping and an address space of its own (of the same file, as lat_pagefault
 * -P does). The operations are those of one process and the clock stops when the last has ended its loop: where nothing is shared
 * and there is a CPU for each, the number is that of one process. procs=0 is a process for each CPU online.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

static const char *pages = "fresh";
static long *order;
static long shuffled;
static char *start;
static long page;
static int fd = -1;

static long procs = 1;
static pid_t *children;
/* The processes read the number of pages from `map` and then from `touch`, and answer each with a byte. */
static int map[2], touch[2], answer[2];

static void make_file(void)
{
	if (!strcmp(pages, "fresh"))
		return;
	if (strcmp(pages, "file"))
		wl_exit(WL_MISUSED, "pages=%s: fresh or file is needed", pages);
	fd = open(wl_tmp("-pagefault"), O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		wl_fail("pagefault file");
	unlink(wl_tmp("-pagefault"));
}

/* Fisher-Yates with a fixed linear congruential generator (Knuth's MMIX): the same order in every boot. */
static void shuffle(long n)
{
	uint64_t state = 1;

	order = realloc(order, (size_t)n * sizeof(*order));
	if (!order)
		wl_fail("realloc");
	for (long i = 0; i < n; i++)
		order[i] = i * page;
	for (long i = n - 1; i > 0; i--) {
		long other, kept = order[i];

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		other = (long)((state >> 33) % (uint64_t)(i + 1));
		order[i] = order[other];
		order[other] = kept;
	}
	shuffled = n;
}

static void fill_file(long n)
{
	char *zeros = calloc(1, (size_t)page);

	for (long i = 0; zeros && i < n; i++)
		if (pwrite(fd, zeros, (size_t)page, i * page) != page)
			wl_fail("pagefault file");
	free(zeros);
	shuffle(n);
}

static void prepare(long units)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	if (fd >= 0 && shuffled != units)
		fill_file(units);
	start = mmap(NULL, (size_t)(units * page), fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);
	if (start == MAP_FAILED)
		wl_fail("mmap");
	/* One huge page would stand for 512 faults. EINVAL: a kernel without them. */
	if (madvise(start, (size_t)(units * page), MADV_NOHUGEPAGE) && errno != EINVAL)
		wl_fail("madvise");
}

static void run(long units)
{
	volatile char *p = start;
	const long *next = order;

	if (fd < 0)
		WL_LOOP(units, (*p = 1, p += page));
	else
		WL_LOOP(units, (void)p[*next++]);
	if (munmap(start, (size_t)(units * page)))
		wl_fail("munmap");
}

/* ---- many processes ---- */

/* The signal comes only if the parent ends after it was asked for. */
__attribute__((noreturn))
static void serve(pid_t parent)
{
	long units;

	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(WL_FAILED);
	for (;;) {
		wl_read(map[0], &units, sizeof(units));
		/* The file is filled by the parent. */
		if (fd >= 0 && shuffled != units)
			shuffle(units);
		prepare(units);
		wl_write(answer[1], "", 1);
		wl_read(touch[0], &units, sizeof(units));
		run(units);
		wl_write(answer[1], "", 1);
	}
}

static void process_ended(int number)
{
	static const char message[] = "a process ended in the middle of its work\n";
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)number;
	(void)ignored;
	_exit(WL_FAILED);
}

/* Whoever started this program may have blocked the signal. */
static void watch_processes(void)
{
	sigset_t child;

	signal(SIGCHLD, process_ended);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &child, NULL);
}

static void start_processes(void)
{
	pid_t parent = getpid();

	children = calloc((size_t)procs, sizeof(*children));
	if (!children)
		wl_fail("memory");
	if (pipe(map) || pipe(touch) || pipe(answer))
		wl_exit(WL_NOT_HERE, "3 pipes: %s (see ulimit -n)", strerror(errno));
	watch_processes();
	for (long i = 0; i < procs; i++) {
		children[i] = fork();
		if (children[i] == 0)
			serve(parent);
		if (children[i] < 0)
			wl_exit(WL_NOT_HERE, "%ld processes: %s (see ulimit -u)", procs, strerror(errno));
	}
}

static void tell_all(int to, long units)
{
	char byte;

	for (long i = 0; i < procs; i++)
		wl_write(to, &units, sizeof(units));
	for (long i = 0; i < procs; i++)
		wl_read(answer[0], &byte, sizeof(byte));
}

static void prepare_all(long units)
{
	if (fd >= 0 && shuffled != units)
		fill_file(units);
	tell_all(map[1], units);
}

static void run_all(long units)
{
	tell_all(touch[1], units);
}

static void teardown(void)
{
	signal(SIGCHLD, SIG_DFL);
	for (long i = 0; children && i < procs; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

static struct wl wl;

/* One process is timed as if there were no others: run() does not ask. Calibration fills a quarter of the memory at most. */
static void setup(void)
{
	long most;

	page = sysconf(_SC_PAGESIZE);
	make_file();
	if (procs == 1)
		return;
	if (procs == 0)
		procs = sysconf(_SC_NPROCESSORS_ONLN);
	start_processes();
	most = sysconf(_SC_PHYS_PAGES) / 4 / procs + 1;
	if (wl.most_units > most)
		wl.most_units = most;
	wl.prepare = prepare_all;
	wl.run = run_all;
}

static const struct wl_param params[] = { { .name = "pages", .text = &pages }, { "procs", &procs, 0, 1024, NULL }, { 0 } };

static struct wl wl = {
	.name = "pagefault", .params = params, .setup = setup,
	.prepare = prepare, .run = run, .teardown = teardown, .most_units = 1 << 16,
};

int main(int argc, char **argv)
{
	return wl_main(&wl, argc, argv);
}
