/*
 * Description: one program of the job: started in a session of its own, limited in virtual time, its output reported when it has ended.
 */
#ifndef KDELTA_GUEST_PROGRAM_H
#define KDELTA_GUEST_PROGRAM_H

#include <signal.h>
#include <sys/wait.h>

#include "../marker.h"
#include "say.h"

enum { MOST_OUTPUT = 1 << 16, MOST_ERROR = 2048 };

/* As long as /tmp: the environment lies on a program's stack, and its length must not differ between variants. */
#define MOUNT_FOLDER	"/vol"
#define COMMAND_PATH	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static char *tmpdir = "TMPDIR=/tmp";
static bool mounted;

__attribute__((noreturn))
static void become(char **argv, bool whole)
{
	char *environment[] = { whole ? COMMAND_PATH : "PATH=/bin", tmpdir, "HOME=/", "LC_ALL=C", NULL };
	int null = open("/dev/null", O_RDONLY), out = open("/tmp/.out", O_WRONLY), err = open("/tmp/.err", O_WRONLY);
	sigset_t none;

	/* Init waits for its children with SIGCHLD blocked; a program is to hear of its own. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
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

static void say_lines(int number, char *text)
{
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
		say("\"event\": \"line\", \"program\": %d", number);
		say_text("text", line);
		say_end();
	}
}

/* The last half of a text too long to be sent; the first is already in text, and both are cut at the end of a line. */
static void say_halves(int number, int fd, char *text, off_t size)
{
	enum { HALF = MOST_OUTPUT / 2 };
	char *end, note[64];
	ssize_t got;

	text[HALF] = '\0';
	end = strrchr(text, '\n');
	if (end)
		*end = '\0';
	say_lines(number, text);
	snprintf(note, sizeof(note), "[... the middle of %lld bytes is left out ...]", (long long)size);
	say_lines(number, note);
	got = pread(fd, text, HALF, size - HALF);
	text[got > 0 ? got : 0] = '\0';
	end = strchr(text, '\n');
	say_lines(number, end ? end + 1 : text);
}

static void say_output(int number)
{
	static char text[MOST_OUTPUT + 1];
	int fd = open("/tmp/.out", O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t got = pread(fd, text, MOST_OUTPUT, 0);

	text[got > 0 ? got : 0] = '\0';
	if (size > MOST_OUTPUT)
		say_halves(number, fd, text, size);
	else
		say_lines(number, text);
	close(fd);
}

/*
 * Deferred frees and the port's last interrupts pass before a program starts. On a variant's own file system what was written is
 * on the device by then too, and minutes pass for the clock, not for the machine, up to the beginning of a second: without a
 * journal ext4 looks at every inode that was deleted in the last six minutes, but not in this second, before it takes another
 * (recently_deleted() in fs/ext4/ialloc.c). A benchmark was 30 times slower or not, by the luck of when it started.
 */
static void rest(void)
{
	enum { MORE_THAN_SIX_MINUTES = 400 };
	struct timespec now;

	if (mounted)
		sync();
	sleep_ns(second);
	if (!mounted)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	now = (struct timespec){ .tv_sec = now.tv_sec + MORE_THAN_SIX_MINUTES };
	if (clock_settime(CLOCK_REALTIME, &now))
		refuse("clock", strerror(errno));
}

static void make_empty(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		refuse(path, strerror(errno));
	close(fd);
}

/* With whole, all that happens from its start to its end is one window of the profile, unless it has windows of its own. */
static void run(int number, int64_t limit_s, char **argv, bool whole)
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
	rest();
	start = now_ns();
	MARK(MARK_PROGRAM);
	if (whole)
		MARK(MARK_BEGIN);
	pid = fork();
	if (pid == 0)
		become(argv, whole);
	if (pid < 0)
		refuse("fork", strerror(errno));
	in_time = wait_for(pid, limit_s * second, &status);
	if (whole)
		MARK(MARK_END);
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
