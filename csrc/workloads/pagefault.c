/*
 * Description: touch pages for the first time: fresh ones, or those of a file that is in memory.
 *
 * Operation: one page touched, and its part of the unmapping; the mapping is made outside the timed loop.
 *   pages=fresh   private memory, written in ascending order: the kernel finds, clears and charges a page each time
 *   pages=file    a shared mapping of a cached file, read in shuffled order as lmbench's lat_pagefault does. The kernel maps
 *                 neighbours along (fault_around_bytes), so there are fewer faults than pages touched, as there
 *
 * lat_pagefault subtracts the time to map and unmap without touching, so what it prints holds the unmapping of touched pages too.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "wl.h"

static const char *pages = "fresh";
static long *order;
static long shuffled;
static char *start;
static long page;
static int fd = -1;

static void setup(void)
{
	page = sysconf(_SC_PAGESIZE);
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

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { .name = "pages", .text = &pages }, { 0 } };
	static const struct wl wl = {
		.name = "pagefault", .params = params, .setup = setup,
		.prepare = prepare, .run = run, .most_units = 1 << 16,
	};

	return wl_main(&wl, argc, argv);
}
