/*
 * Description: a byte goes to another process and comes back, over two pipes or a pair of Unix sockets.
 *
 * Operation: one round trip: two writes, two reads, and a switch there and back. After lmbench's lat_pipe and lat_unix, which send
 * a byte each way too (McVoy and Staelin, USENIX 1996).
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "wl.h"

static const char *over = "pipe";
static int to, from;
static pid_t partner;

static inline void round_trip(void)
{
	char byte = 0;

	wl_write(to, &byte, sizeof(byte));
	wl_read(from, &byte, sizeof(byte));
}

/* It does not outlive its parent: the signal comes only if the parent ends after it was asked for. */
__attribute__((noreturn))
static void answer(pid_t parent, int in, int out)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(WL_FAILED);
	for (;;) {
		wl_read(in, &byte, sizeof(byte));
		wl_write(out, &byte, sizeof(byte));
	}
}

/* there[0] is read and there[1] written, as with back; each side of a pair of sockets does both. */
static void join(int there[2], int back[2])
{
	int failed, pair[2];

	if (!strcmp(over, "pipe")) {
		failed = pipe(there) || pipe(back);
	} else {
		failed = socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		there[0] = back[1] = pair[0];
		there[1] = back[0] = pair[1];
	}
	if (failed)
		wl_exit(WL_NOT_HERE, "over=%s: %s%s", over, strerror(errno), errno == EMFILE ? " (see ulimit -n)" : "");
}

static void setup(void)
{
	int there[2], back[2];
	pid_t parent = getpid();

	if (strcmp(over, "pipe") && strcmp(over, "unix"))
		wl_exit(WL_MISUSED, "over=%s: pipe or unix is needed", over);
	join(there, back);
	partner = fork();
	if (partner < 0)
		wl_exit(WL_NOT_HERE, "a second process: %s (see ulimit -u)", strerror(errno));
	/* Each keeps its own ends only: a partner that is gone is then the end of the file, and not a wait for ever. */
	if (partner == 0) {
		close(there[1]);
		if (back[0] != there[1])
			close(back[0]);
		answer(parent, there[0], back[1]);
	}
	signal(SIGPIPE, SIG_IGN);
	to = there[1];
	from = back[0];
	close(there[0]);
	if (back[1] != there[0])
		close(back[1]);
	round_trip();
}

static void run(long units)
{
	WL_LOOP(units, round_trip());
}

static void teardown(void)
{
	kill(partner, SIGKILL);
	waitpid(partner, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { .name = "over", .text = &over }, { 0 } };
	static const struct wl wl = {
		.name = "pingpong", .params = params, .setup = setup, .run = run, .teardown = teardown,
	};

	return wl_main(&wl, argc, argv);
}
