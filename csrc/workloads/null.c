/*
 * Description: the null system call: getppid(), which does next to nothing beyond entering and leaving the kernel.
 *
 * Operation: one getppid(). After lmbench's lat_syscall null.
 */
#include "wl.h"

static void run(long units)
{
	WL_LOOP(units, getppid());
}

int main(int argc, char **argv)
{
	static const struct wl wl = { .name = "null", .run = run };

	return wl_main(&wl, argc, argv);
}
