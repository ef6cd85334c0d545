/*
 * Description: the bare operation of the null benchmark, a thousand calls one after the other in the text, with no loop
 * around each: what the workload's own loop adds is what it costs more.
 */
#include "wl.h"

#define TEN(call)	call call call call call call call call call call
#define THOUSAND	TEN(TEN(TEN(getppid();)))

static long thousand(void)
{
	return 1000;
}

static void run(long units)
{
	while (units--) {
		THOUSAND
	}
}

int main(int argc, char **argv)
{
	static const struct wl wl = { .name = "bare", .per_unit = thousand, .run = run };

	return wl_main(&wl, argc, argv);
}
