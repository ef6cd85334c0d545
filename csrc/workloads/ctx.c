/*
 * Description: N processes in a ring pass a token over pipes; each sums its working set before it passes the token on.
 *
 * Operation: one hop: a switch to the next process, one pipe read, the sum over `size` bytes, one pipe write.
 * After lmbench's lat_ctx (McVoy and Staelin, USENIX 1996), which subtracts the cost of the pipe and the sum, measured in one
 * process, from what it prints; here nothing is subtracted.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

static long procs = 2, size;
static int (*pipes)[2];
static pid_t *children;
static int *working_set;

/*
 * What a process uses in the loop lies on its stack and in registers: each page more is a miss more in the translation buffer
 * after every switch, which with many processes is a tenth of a hop.
 */
static inline __attribute__((always_inline)) void sum_up(const int *set, size_t count)
{
	int sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += set[i];
	__asm__ volatile("" : : "r"(sum));
}

/* The child's own copy of the working set: written to, so that it is not the parent's page. */
static void touch_working_set(void)
{
	for (size_t i = 0; i < (size_t)size / sizeof(int); i++)
		working_set[i] = 1;
}

__attribute__((noreturn))
static void serve(long place)
{
	int from = pipes[place - 1][0], to = pipes[place][1], token;
	size_t count = (size_t)size / sizeof(int);
	const int *set = working_set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	touch_working_set();
	for (long i = 0; i < procs; i++) {
		if (i != place - 1)
			close(pipes[i][0]);
		if (i != place)
			close(pipes[i][1]);
	}
	for (;;) {
		wl_read(from, &token, sizeof(token));
		sum_up(set, count);
		wl_write(to, &token, sizeof(token));
	}
}

static void once_around(void)
{
	int token = 0;

	wl_write(pipes[0][1], &token, sizeof(token));
	wl_read(pipes[procs - 1][0], &token, sizeof(token));
	sum_up(working_set, (size_t)size / sizeof(int));
}

static void setup(void)
{
	pipes = calloc((size_t)procs, sizeof(*pipes));
	children = calloc((size_t)procs, sizeof(*children));
	working_set = malloc((size_t)size + 1);
	if (!pipes || !children || !working_set)
		wl_fail("memory");
	touch_working_set();
	for (long i = 0; i < procs; i++)
		if (pipe(pipes[i]))
			wl_exit(WL_NOT_HERE, "%ld pipes: %s (see ulimit -n)", procs, strerror(errno));
	for (long i = 1; i < procs; i++) {
		children[i] = fork();
		if (children[i] == 0)
			serve(i);
		if (children[i] < 0)
			wl_exit(WL_NOT_HERE, "%ld processes: %s (see ulimit -u)", procs, strerror(errno));
	}
	once_around();
}

static long hops_around(void)
{
	return procs;
}

static void run(long units)
{
	WL_LOOP(units, once_around());
}

static void teardown(void)
{
	for (long i = 1; i < procs; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = {
		{ "procs", &procs, 2, 10000, NULL }, { "size", &size, 0, 1L << 30, NULL }, { 0 },
	};
	static const struct wl wl = {
		.name = "ctx", .params = params, .setup = setup, .per_unit = hops_around, .run = run, .teardown = teardown,
	};

	return wl_main(&wl, argc, argv);
}
