/*
 * Description: make a process and wait for its end.
 *
 * Operation, by `child`:
 *   child=exit   fork(), the child exits at once
 *   child=exec   fork(), the child executes `nop`, a static program that returns
 *   child=sh     fork(), the child executes /bin/sh -c nop
 * With touch=N the child first writes to N pages that it shares with its parent, each of which the kernel copies.
 * After lmbench's lat_proc fork, exec and shell, whose child touches about ten pages on its way out through exit().
 */
#include <sys/wait.h>

#include "wl.h"

enum { PAGE = 4096 };

static const char *child = "exit";
static long touch;
static volatile char *shared;
static char nop[4096];
static char *nop_argv[] = { nop, NULL };
static char *sh_argv[] = { "sh", "-c", nop, NULL };
static char *empty_environment[] = { NULL };
static void (*become)(void);

static void become_nothing(void)
{
	_exit(0);
}

static void become_nop(void)
{
	execve(nop, nop_argv, empty_environment);
	_exit(1);
}

static void become_sh(void)
{
	execve("/bin/sh", sh_argv, empty_environment);
	_exit(1);
}

static void find_nop(void)
{
	ssize_t n = readlink("/proc/self/exe", nop, sizeof(nop) - sizeof("nop"));
	char *base;

	if (n < 0)
		wl_fail("/proc/self/exe");
	nop[n] = '\0';
	base = strrchr(nop, '/') + 1;
	strcpy(base, "nop");
	if (access(nop, X_OK))
		wl_fail(nop);
}

/* Written to, so that there is a page to copy; aligned, so that N bytes a page apart are N pages. */
static void share_pages(void)
{
	if (!touch)
		return;
	shared = aligned_alloc(PAGE, (size_t)touch * PAGE);
	if (!shared)
		wl_fail("memory");
	for (long i = 0; i < touch; i++)
		shared[i * PAGE] = 1;
}

static void setup(void)
{
	find_nop();
	share_pages();
	if (!strcmp(child, "exit"))
		become = become_nothing;
	else if (!strcmp(child, "exec"))
		become = become_nop;
	else if (!strcmp(child, "sh"))
		become = become_sh;
	else
		wl_exit(WL_MISUSED, "child=%s: exit, exec or sh is needed", child);
	if (become == become_sh && access("/bin/sh", X_OK))
		wl_exit(WL_NOT_HERE, "there is no /bin/sh here");
}

static inline void make_and_wait(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (long i = 0; i < touch; i++)
			shared[i * PAGE] = 2;
		become();
	}
	if (pid < 0)
		wl_fail("fork");
	if (waitpid(pid, &status, 0) != pid || status)
		wl_exit(WL_FAILED, "the child process ended with wait status %d", status);
}

static void run(long units)
{
	WL_LOOP(units, make_and_wait());
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = {
		{ .name = "child", .text = &child }, { "touch", &touch, 0, 100000, NULL }, { 0 },
	};
	static const struct wl wl = { .name = "proc", .params = params, .setup = setup, .run = run };

	return wl_main(&wl, argc, argv);
}
