/*
 * Description: chat over loopback TCP: in each room every user sends to every user, through a server. Four threads for each user,
 * two at either end of the connection.
 *
 * Operation: one message of `bytes` bytes delivered to one user: its part of what the sender wrote, a queue in the server, a write
 * there and a read by the user. The clock starts when all threads wait for a message, and stops when every user has read the last.
 *
 * After the structure of VolanoMark 2.1 (Volano LLC; the loopback test as W. Hartner describes it for the Linux Scalability Effort:
 * rooms of 20, a connection for each user, a receiving and a sending thread at either end of it, messages of about 100 bytes). It
 * is not that program, and the results are not comparable: this one has no Java machine, a message comes back to its sender too,
 * and connections and threads stay over the iterations.
 */
#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "wl.h"

enum { MOST_BYTES = 4096, QUEUE = 16, STACK = 65536 };

static long rooms = 10, users = 20, bytes = 100;

static long connections(void)
{
	return rooms * users;
}

static void start_thread(pthread_t *thread, void *(*work)(void *), void *cookie)
{
	long least = sysconf(_SC_THREAD_STACK_MIN) + 4 * MOST_BYTES;
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)(least > STACK ? least : STACK));
	error = pthread_create(thread, &attributes, work, cookie);
	pthread_attr_destroy(&attributes);
	if (error)
		wl_exit(WL_NOT_HERE, "%ld threads: %s (see ulimit -u, kernel.threads-max and vm.max_map_count)",
			4 * connections(), strerror(error));
}

/* Small messages leave at once. */
static void prepare_connection(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		wl_fail("TCP_NODELAY");
}

__attribute__((noreturn))
static void no_connection(const char *call)
{
	const char *limit = errno == EMFILE ? " (see ulimit -n)"
			  : errno == EADDRNOTAVAIL ? " (see net.ipv4.ip_local_port_range)" : "";

	wl_exit(WL_NOT_HERE, "%ld connections over 127.0.0.1: %s: %s%s", connections(), call, strerror(errno), limit);
}

/* The next message, or false where the connection ends instead. */
static inline bool next_message(int fd, char *message)
{
	for (long done = 0; done < bytes;) {
		ssize_t got = read(fd, message + done, (size_t)(bytes - done));

		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return false;
		if (got < 0)
			wl_fail("read");
		done += got;
	}
	return true;
}

/* ---- the server ---- */

/* A connection at the server's end, and the messages that wait for it. A reader fills the queues of its whole room. */
struct seat {
	int fd;
	pthread_t reader, writer;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	long first, waiting;
	bool last;		/* what waits is all that will come */
	char *queue;
};

static struct seat *seats;

static inline void put(struct seat *seat, const char *message)
{
	pthread_mutex_lock(&seat->lock);
	while (seat->waiting == QUEUE)
		pthread_cond_wait(&seat->freed, &seat->lock);
	memcpy(seat->queue + (seat->first + seat->waiting++) % QUEUE * bytes, message, (size_t)bytes);
	pthread_cond_signal(&seat->filled);
	pthread_mutex_unlock(&seat->lock);
}

static void *read_seat(void *cookie)
{
	struct seat *seat = cookie, *room = seats + (seat - seats) / users * users;
	char message[MOST_BYTES];

	while (next_message(seat->fd, message))
		for (long i = 0; i < users; i++)
			put(&room[i], message);
	return NULL;
}

/* The message stays in the queue while it is written: nobody else takes it out, and nobody puts one over it. */
static void *write_seat(void *cookie)
{
	struct seat *seat = cookie;

	pthread_mutex_lock(&seat->lock);
	for (;;) {
		while (!seat->waiting && !seat->last)
			pthread_cond_wait(&seat->filled, &seat->lock);
		if (!seat->waiting)
			break;
		pthread_mutex_unlock(&seat->lock);
		wl_write(seat->fd, seat->queue + seat->first * bytes, (size_t)bytes);
		pthread_mutex_lock(&seat->lock);
		seat->first = (seat->first + 1) % QUEUE;
		seat->waiting--;
		pthread_cond_signal(&seat->freed);
	}
	pthread_mutex_unlock(&seat->lock);
	return NULL;
}

/* A user says first which seat is theirs, and hears that it is taken: threads, descriptors and all are then there. */
static void take_seat(int listener)
{
	struct seat *seat;
	int place, fd = accept(listener, NULL, NULL);

	if (fd < 0)
		no_connection("accept");
	prepare_connection(fd);
	wl_read(fd, &place, sizeof(place));
	seat = &seats[place];
	seat->fd = fd;
	seat->queue = malloc((size_t)(QUEUE * bytes));
	if (!seat->queue)
		wl_fail("memory");
	pthread_mutex_init(&seat->lock, NULL);
	pthread_cond_init(&seat->filled, NULL);
	pthread_cond_init(&seat->freed, NULL);
	start_thread(&seat->reader, read_seat, seat);
	start_thread(&seat->writer, write_seat, seat);
	wl_write(fd, "", 1);
}

/*
 * The end of a connection, for good: an orderly one would leave a timer of a minute (TIME_WAIT) in the kernel, and that would go
 * off during another program's measurement.
 */
static void leave_seat(struct seat *seat)
{
	struct linger reset = { .l_onoff = 1, .l_linger = 0 };

	pthread_mutex_lock(&seat->lock);
	seat->last = true;
	pthread_cond_signal(&seat->filled);
	pthread_mutex_unlock(&seat->lock);
	pthread_join(seat->writer, NULL);
	setsockopt(seat->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(seat->fd);
}

__attribute__((noreturn))
static void serve(int listener, pid_t parent)
{
	signal(SIGCHLD, SIG_DFL);
	/* The signal comes only if the parent ends after this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(WL_FAILED);
	seats = calloc((size_t)connections(), sizeof(*seats));
	if (!seats)
		wl_fail("memory");
	for (long i = 0; i < connections(); i++)
		take_seat(listener);
	close(listener);
	for (long i = 0; i < connections(); i++)
		pthread_join(seats[i].reader, NULL);
	for (long i = 0; i < connections(); i++)
		leave_seat(&seats[i]);
	_exit(WL_FINE);
}

/* ---- the users ---- */

struct user {
	int fd;
	pthread_t sender, receiver;
	long heard, sum;	/* messages since the start, and the places of their senders */
};

static struct user *all;
static pid_t server;

/*
 * A round starts when `round_number` changes: every sender then sends `loops` messages. It has ended when no user is left that
 * has not heard `expected` messages since the start. The senders stop at a round of no messages.
 */
static _Atomic int round_number, users_left;
static long loops, expected;

static void futex_wait(_Atomic int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Nothing goes to a server that has ended and nothing comes from it, and the signal is about to say so. */
__attribute__((noreturn))
static void expect_the_end(void)
{
	sleep(10);
	wl_exit(WL_FAILED, "the server does not answer");
}

static inline void speak(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) == (ssize_t)size)
		return;
	if (errno == EPIPE || errno == ECONNRESET)
		expect_the_end();
	wl_fail("write");
}

static void *send_messages(void *cookie)
{
	const struct user *user = cookie;
	char message[MOST_BYTES] = { 0 };

	message[0] = (char)((user - all) % users);
	for (int seen = 0;; seen++) {
		long left;

		while (round_number == seen)
			futex_wait(&round_number, seen);
		/* Once its last message is out, the next round may begin. */
		left = loops;
		if (!left)
			return NULL;
		while (left--)
			speak(user->fd, message, (size_t)bytes);
	}
}

static void *receive_messages(void *cookie)
{
	struct user *user = cookie;
	char message[MOST_BYTES];

	while (next_message(user->fd, message)) {
		user->sum += (unsigned char)message[0];
		if (++user->heard == expected && --users_left == 0)
			futex_wake(&users_left);
	}
	if (loops)
		expect_the_end();
	return NULL;
}

/* A server that exits by itself has said why, and its status is that of the whole. */
static void server_ended(int number)
{
	static const char message[] = "the server was killed\n";
	int status = 0;
	ssize_t ignored;

	(void)number;
	waitpid(server, &status, WNOHANG);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
	ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	_exit(WL_FAILED);
}

/* Whoever started this program may have blocked the signal. */
static void watch_server(void)
{
	sigset_t child;

	signal(SIGCHLD, server_ended);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &child, NULL);
}

static void connect_user(int place, const struct sockaddr_in *address)
{
	struct user *user = &all[place];
	char byte;

	user->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (user->fd < 0)
		no_connection("socket");
	if (connect(user->fd, (const struct sockaddr *)address, sizeof(*address))) {
		if (errno == ECONNREFUSED)
			expect_the_end();
		no_connection("connect");
	}
	prepare_connection(user->fd);
	speak(user->fd, &place, sizeof(place));
	if (read(user->fd, &byte, 1) != 1)
		expect_the_end();
	start_thread(&user->sender, send_messages, user);
	start_thread(&user->receiver, receive_messages, user);
}

static int listen_anywhere(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (listener < 0)
		no_connection("socket");
	if (bind(listener, (struct sockaddr *)address, size) || listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)address, &size))
		no_connection("listen");
	return listener;
}

/* Each end of all connections is in one process. */
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
	struct sockaddr_in address;
	pid_t parent = getpid();
	int listener;

	raise_descriptors();
	all = calloc((size_t)connections(), sizeof(*all));
	if (!all)
		wl_fail("memory");
	listener = listen_anywhere(&address);
	watch_server();
	server = fork();
	if (server == 0)
		serve(listener, parent);
	if (server < 0)
		wl_exit(WL_NOT_HERE, "a process for the server: %s (see ulimit -u)", strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	close(listener);
	for (long i = 0; i < connections(); i++)
		connect_user((int)i, &address);
}

static long deliveries(void)
{
	return connections() * users;
}

static void start_round(long messages)
{
	loops = messages;
	expected += messages * users;
	users_left = (int)connections();
	round_number++;
	futex_wake(&round_number);
}

static void run(long units)
{
	int left;

	start_round(units);
	for (long i = 0; i < units * wl_getppid; i++)
		getppid();
	while ((left = users_left))
		futex_wait(&users_left, left);
}

/* Everyone has heard everyone of the room as often as they spoke, and nobody else. */
static void finish(long units)
{
	long sum = expected * (users - 1) / 2;

	(void)units;
	for (long i = 0; i < connections(); i++)
		if (all[i].heard != expected || all[i].sum != sum)
			wl_exit(WL_FAILED, "a user has heard %ld messages, not %ld, or not those of the room",
				all[i].heard, expected);
}

static void teardown(void)
{
	int status;

	signal(SIGCHLD, SIG_DFL);
	start_round(0);
	for (long i = 0; i < connections(); i++) {
		pthread_join(all[i].sender, NULL);
		shutdown(all[i].fd, SHUT_WR);
	}
	for (long i = 0; i < connections(); i++)
		pthread_join(all[i].receiver, NULL);
	finish(0);
	if (waitpid(server, &status, 0) != server || status)
		wl_exit(WL_FAILED, "the server ended with wait status %d", status);
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = {
		{ "rooms", &rooms, 1, 200, NULL }, { "users", &users, 2, 200, NULL }, { "bytes", &bytes, 1, MOST_BYTES, NULL },
		{ 0 },
	};
	static const struct wl wl = {
		.name = "volano", .params = params, .setup = setup, .per_unit = deliveries,
		.run = run, .finish = finish, .teardown = teardown, .most_units = 1 << 20,
	};

	return wl_main(&wl, argc, argv);
}
