/*
 * Description: run a program that must not outlive the process that started it.
 *
 *   tether PARENT PROGRAM ARG...
 *
 * The kernel kills the program when its parent ends, however that ends. PARENT is the parent's process number: if it has
 * gone before the request was made, nothing is started. Exit status: that of the program; 2 misused, 127 not executable.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: tether PARENT PROGRAM ARG...\n");
		return 2;
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL)) {
		fprintf(stderr, "tether: %s\n", strerror(errno));
		return 2;
	}
	if (getppid() != atoi(argv[1]))
		return 2;
	execvp(argv[2], argv + 2);
	fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
	return 127;
}
