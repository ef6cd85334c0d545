/*
 * Description: map a file shared, write to part of it, unmap it.
 *
 * Operation: one mmap() of `size` bytes, one byte written every 16 KiB over the first tenth, one munmap().
 * After lmbench's lat_mmap in its dense form.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "wl.h"

enum { STRIDE = 16 << 10, PART = 10 };

static long size = 64 << 20;
static int fd;

static void setup(void)
{
	const char *file = wl_tmp("-mmap");

	fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		wl_fail(file);
	unlink(file);
	if (ftruncate(fd, size))
		wl_fail("ftruncate");
}

static inline void map_touch_unmap(void)
{
	char *start = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (start == MAP_FAILED)
		wl_fail("mmap");
	for (volatile char *p = start; p < start + size / PART; p += STRIDE)
		*p = 1;
	if (munmap(start, (size_t)size))
		wl_fail("munmap");
}

static void run(long units)
{
	WL_LOOP(units, map_touch_unmap());
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { "size", &size, 4096, 1L << 34, NULL }, { 0 } };
	static const struct wl wl = { .name = "mmap", .params = params, .setup = setup, .run = run };

	return wl_main(&wl, argc, argv);
}
