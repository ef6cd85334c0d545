/*
 * Description: one program of the job: started in a session of its own, limited in virtual time, its output reported when it has ended.
 */
#ifndef KDELTA_GUEST_PROGRAM_H
#define KDELTA_GUEST_PROGRAM_H

#include <signal.h>
#include <sys/wait.h>

#include "../marker.h"
#include "say.h"

enum { MOST_OUTPUT = 1 << 20, MOST_ERROR = 2048 };

__attribute__((noreturn))
static void become(char **argv)
{
	static char *environment[] = { "PATH=/bin", "TMPDIR=/tmp", "HOME=/", "LC_ALL=C", NULL };
	int null = open("/dev/null", O_RDONLY), out = open("/tmp/.out", O_WRONLY), err = open("/tmp/.err", O_WRONLY);

	setsid();
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (null > 2)
		close(null);
	if (out > 2)
		close(out);
	if (err > 2)
		close(err);
	execve(argv[0], argv, environment);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Wait for pid, or kill its session when the limit of virtual time is over: an idle hang costs the host nothing. */
static bool wait_for(pid_t pid, int64_t limit_ns, int *status)
{
	int64_t deadline = now_ns() + limit_ns;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int64_t left = deadline - now_ns();
		struct timespec wait = { .tv_sec = left / second, .tv_nsec = left % second };

		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		if (left <= 0)
			break;
		sigtimedwait(&child, NULL, &wait);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, status, 0);
	return false;
}

static void sweep(pid_t session)
{
	kill(-session, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0 || kill(-session, 0) == 0)
		sleep_ns(second / 1000);
}

static void say_output(int number)
{
	static char text[MOST_OUTPUT];
	char *rest = text;

	if (slurp("/tmp/.out", text, sizeof(text)) < 0)
		return;
	for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
		say("\"event\": \"line\", \"program\": %d", number);
		say_text("text", line);
		say_end();
	}
}

static void make_empty(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		refuse(path, strerror(errno));
	close(fd);
}

static void run(int number, int64_t limit_s, char **argv)
{
	static char error[MOST_ERROR];
	int64_t start;
	int status = 0;
	bool in_time;
	pid_t pid;

	make_empty("/tmp/.out");
	make_empty("/tmp/.err");
	say("\"event\": \"start\", \"program\": %d, \"virtual_ns\": %lld", number, (long long)now_ns());
	say_end();
	sleep_ns(second);	/* let deferred frees and the port's last interrupts pass */
	start = now_ns();
	MARK(MARK_PROGRAM);
	pid = fork();
	if (pid == 0)
		become(argv);
	if (pid < 0)
		refuse("fork", strerror(errno));
	in_time = wait_for(pid, limit_s * second, &status);
	sweep(pid);
	say_output(number);
	say("\"event\": \"end\", \"program\": %d, \"status\": %d, \"signal\": %d, \"timeout\": %s, \"virtual_ns\": %lld", number,
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    in_time ? "false" : "true", (long long)(now_ns() - start));
	slurp("/tmp/.err", error, sizeof(error));
	say_text("stderr", error);
	say_end();
}

#endif
