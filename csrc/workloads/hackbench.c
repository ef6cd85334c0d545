/*
 * Description: groups of 20 senders and 20 receivers; in a group every sender writes to every receiver, over sockets or pipes,
 * between processes or threads. A chat server's wake-ups without the chat.
 *
 * Operation: one message of `bytes` bytes written and read. The clock starts when all tasks wait for the start, and stops when every
 * receiver has read its last message.
 * After hackbench by Rusty Russell and others, as kept in rt-tests, which makes new tasks for each measurement and stops the
 * clock when all have ended. Here the tasks stay: with few messages their ends would be most of the time.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "wl.h"

enum { FAN = 20, MOST_BYTES = 65536 };

static long groups = 10, bytes = 100;
static const char *over = "socket", *as = "process";

/*
 * A round starts when every task has read its number of messages per receiver from `start`; 0 ends it. There are two pipes, used
 * in turn: with one, a task that is done early could read the word of one that has not begun.
 */
static int start[2][2], done[2];
static long round_number;

struct task {
	bool sends;
	int fds[FAN];		/* a sender's 20 receivers; a receiver uses the first only */
	pid_t pid;
	pthread_t thread;
};

static struct task *tasks;

static long task_count(void)
{
	return groups * 2 * FAN;
}

static bool as_threads(void)
{
	return !strcmp(as, "thread");
}

static void send_all(const struct task *task, char *message, long loops)
{
	for (long i = 0; i < loops; i++)
		for (int to = 0; to < FAN; to++)
			wl_write(task->fds[to], message, (size_t)bytes);
}

static void receive_all(const struct task *task, char *message, long loops)
{
	for (long i = 0; i < loops * FAN; i++)
		wl_read(task->fds[0], message, (size_t)bytes);
	wl_write(done[1], message, 1);
}

static void *work(void *cookie)
{
	const struct task *task = cookie;
	char message[MOST_BYTES] = { 0 };
	long loops;

	for (long i = 0;; i++) {
		wl_read(start[i % 2][0], &loops, sizeof(loops));
		if (!loops)
			return NULL;
		if (task->sends)
			send_all(task, message, loops);
		else
			receive_all(task, message, loops);
	}
}

static void start_process(struct task *task)
{
	pid_t parent = getpid();

	task->pid = fork();
	if (task->pid)
		return;
	signal(SIGCHLD, SIG_DFL);
	/* The signal comes only if the parent ends after this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(WL_FAILED);
	work(task);
	_exit(WL_FINE);
}

static void start_task(struct task *task)
{
	int error = 0;

	if (as_threads()) {
		error = pthread_create(&task->thread, NULL, work, task);
	} else {
		start_process(task);
		error = task->pid < 0 ? errno : 0;
	}
	if (error)
		wl_exit(WL_NOT_HERE, "%ld tasks: %s (see ulimit -u)", task_count(), strerror(error));
}

static void connect_pair(int pair[2])
{
	int failed = !strcmp(over, "pipe") ? pipe(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair);

	if (failed)
		wl_exit(WL_NOT_HERE, "%ld groups: %s (see ulimit -n)", groups, strerror(errno));
}

/* A process keeps its own copies of the descriptors; threads share them. */
static void start_group(struct task *group)
{
	int pairs[FAN][2];

	for (int i = 0; i < FAN; i++) {
		connect_pair(pairs[i]);
		group[i].fds[0] = pairs[i][0];
		group[FAN + i].sends = true;
		for (int from = 0; from < FAN; from++)
			group[FAN + from].fds[i] = pairs[i][1];
	}
	for (int i = 0; i < 2 * FAN; i++)
		start_task(&group[i]);
	for (int i = 0; !as_threads() && i < FAN; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
}

static void task_ended(int number)
{
	static const char message[] = "a task ended in the middle of a round\n";
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)number;
	(void)ignored;
	_exit(WL_FAILED);
}

/* Threads hold all descriptors of all groups in one table. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		wl_fail("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void setup(void)
{
	if (strcmp(over, "socket") && strcmp(over, "pipe"))
		wl_exit(WL_MISUSED, "over=%s: socket or pipe is needed", over);
	if (strcmp(as, "process") && strcmp(as, "thread"))
		wl_exit(WL_MISUSED, "as=%s: process or thread is needed", as);
	raise_descriptors();
	tasks = calloc((size_t)task_count(), sizeof(*tasks));
	if (!tasks || pipe(start[0]) || pipe(start[1]) || pipe(done))
		wl_fail("setup");
	signal(SIGCHLD, task_ended);
	for (long i = 0; i < groups; i++)
		start_group(&tasks[i * 2 * FAN]);
}

static long messages(void)
{
	return groups * FAN * FAN;
}

static void tell_all(long loops)
{
	int to = start[round_number++ % 2][1];

	for (long i = 0; i < task_count(); i++)
		wl_write(to, &loops, sizeof(loops));
}

static void run(long units)
{
	char byte;

	tell_all(units);
	for (long i = 0; i < units * wl_getppid; i++)
		getppid();
	for (long i = 0; i < task_count() / 2; i++)
		wl_read(done[0], &byte, 1);
}

static void teardown(void)
{
	signal(SIGCHLD, SIG_DFL);
	tell_all(0);
	for (long i = 0; i < task_count(); i++) {
		int status = 0;

		if (as_threads())
			pthread_join(tasks[i].thread, NULL);
		else if (waitpid(tasks[i].pid, &status, 0) != tasks[i].pid || status)
			wl_exit(WL_FAILED, "a task ended with wait status %d", status);
	}
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = {
		{ "groups", &groups, 1, 1000, NULL }, { "bytes", &bytes, 1, MOST_BYTES, NULL },
		{ .name = "over", .text = &over }, { .name = "as", .text = &as }, { 0 },
	};
	static const struct wl wl = {
		.name = "hackbench", .params = params, .setup = setup, .per_unit = messages,
		.run = run, .teardown = teardown, .most_units = 1 << 20,
	};

	return wl_main(&wl, argc, argv);
}
