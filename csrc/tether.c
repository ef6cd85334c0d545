/*
 * Description: run a program that must not outlive the process that started it, where and with whom it is told.
 *
 *   tether PARENT [-c CPU]... [-g FILE]... PROGRAM ARG...
 *
 * The kernel kills the program when its parent ends, however that ends. PARENT is the parent's process number: if it has
 * gone before the request was made, nothing is started. The program runs on the CPUs given (on all where none is), and is
 * a member of the control groups whose cgroup.procs FILEs are given, from its first instruction on. Exit status: that of the
 * program; 2 misused, 126 not bound or not a member, 127 not executable.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noreturn))
static void stop(int status, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(status);
}

static void join(const char *group)
{
	int fd = open(group, O_WRONLY);

	if (fd < 0 || write(fd, "0", 1) != 1 || close(fd))
		stop(126, group);
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;
	int c;

	CPU_ZERO(&cpus);
	if (argc < 3) {
		fprintf(stderr, "usage: tether PARENT [-c CPU]... [-g FILE]... PROGRAM ARG...\n");
		return 2;
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		stop(2, "tether");
	if (getppid() != atoi(argv[1]))
		return 2;
	argc--, argv++;
	while ((c = getopt(argc, argv, "+c:g:")) != -1) {
		if (c == 'c')
			CPU_SET((size_t)atoi(optarg), &cpus);
		else if (c == 'g')
			join(optarg);
		else
			return 2;
	}
	if (CPU_COUNT(&cpus) && sched_setaffinity(0, sizeof(cpus), &cpus))
		stop(126, "tether: CPUs");
	if (optind >= argc)
		return 2;
	execvp(argv[optind], argv + optind);
	stop(127, argv[optind]);
}
