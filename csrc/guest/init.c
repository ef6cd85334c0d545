/*
 * Description: the first process of the guest in the exact lab.
 *
 * It reads /job, prepares the guest, runs the programs it is given one after the other, and reports over the second serial
 * port (never the console) as JSON, one object on a line. Then it powers the guest off. The words of /job, tab-separated:
 *
 *   entropy HEX              bytes for the kernel's entropy pool, before anything else is executed
 *   forks N                  processes made and reaped: moves process numbers and slab pages
 *   delay US                 microseconds of virtual time to sleep, then
 *   settle S                 at most S seconds of virtual time to wait until the kernel is idle
 *   module PATH PARAMETERS   loaded; the file is deleted
 *   device PATH SIZE BLOCKS  the file's blocks are written to a device of that size, and the file is deleted
 *   mount TYPE PATH FLAGS REST SHOWN   mounted, looked at, and from then on where programs keep their files: mount(2)'s flags
 *                            and data, and the options that must read back
 *   sysctl NAME VALUE        set, read back; a value that did not stick ends the job
 *   file PATH VALUE          the same for any file of the kernel's
 *   bulk NAME PATH           keep the file's text in locked memory for the host to fetch after power-off
 *   skip ...                 nothing
 *   run SECONDS PATH ARG...  one program, with a limit in virtual seconds
 *   command SECONDS PATH ARG...   the same for a user's own, the whole of which is profiled
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "program.h"
#include "say.h"
#include "setting.h"

enum { MOST_WORDS = 1024, MOST_LINE = 65536 };	/* known to job.py too */

/* ---- the guest made ready ---- */

#define CARRIED_TMP	"/.tmp"

static void mount_all(void)
{
	static const char *const mounts[][3] = {
		{ "proc", "/proc", "proc" }, { "sysfs", "/sys", "sysfs" }, { "devtmpfs", "/dev", "devtmpfs" },
		{ "tmpfs", "/tmp", "tmpfs" }, { "tmpfs", "/dev/shm", "tmpfs" },
	};

	rename("/tmp", CARRIED_TMP);
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i][1], 0755);
		mount(mounts[i][0], mounts[i][1], mounts[i][2], 0, NULL);
	}
}

/* What the archive brought to /tmp lies below the file system that is mounted there now: shown in it by links. */
static void link_carried(void)
{
	DIR *carried = opendir(CARRIED_TMP);
	char from[512], to[512];

	for (const struct dirent *entry; carried && (entry = readdir(carried));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
			snprintf(from, sizeof(from), CARRIED_TMP "/%s", entry->d_name);
			snprintf(to, sizeof(to), "/tmp/%s", entry->d_name);
			if (symlink(from, to))
				refuse(to, strerror(errno));
		}
	if (carried)
		closedir(carried);
}

static void open_data(void)
{
	struct termios raw;
	int fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		power_off();
	tcgetattr(fd, &raw);
	cfmakeraw(&raw);
	cfsetspeed(&raw, B115200);
	tcsetattr(fd, TCSANOW, &raw);
	data = fdopen(fd, "w");
}

static void raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		refuse("loopback", strerror(errno));
	close(fd);
}

/* The GNU build id out of the notes of the running kernel: 4-byte sizes and type, then the name "GNU", then the id. */
static void say_build_id(void)
{
	static char notes[65536];
	ssize_t size = slurp("/sys/kernel/notes", notes, sizeof(notes));

	for (ssize_t at = 0; at + 12 <= size;) {
		uint32_t head[3];
		ssize_t name = at + 12, text;

		memcpy(head, notes + at, sizeof(head));
		text = name + ((ssize_t)head[0] + 3) / 4 * 4;
		at = text + ((ssize_t)head[1] + 3) / 4 * 4;
		if (at > size || head[2] != 3 || head[0] != 4 || memcmp(notes + name, "GNU", 4))
			continue;
		fputs(", \"build_id\": \"", data);
		for (uint32_t i = 0; i < head[1]; i++)
			fprintf(data, "%02x", (unsigned char)notes[text + i]);
		fputc('"', data);
		return;
	}
}

static void say_hello(void)
{
	static char text[MOST_LINE];
	struct utsname name;

	uname(&name);
	say("\"event\": \"hello\", \"virtual_ns\": %lld, \"cpus\": %ld", (long long)now_ns(), sysconf(_SC_NPROCESSORS_ONLN));
	say_text("release", name.release);
	say_text("version", name.version);
	say_text("machine", name.machine);
	say_build_id();
	if (slurp("/proc/cmdline", text, sizeof(text)) > 0)
		say_text("command_line", text);
	if (slurp("/sys/devices/system/clocksource/clocksource0/current_clocksource", text, sizeof(text)) > 0)
		say_text("clocksource", text);
	if (slurp("/proc/meminfo", text, sizeof(text)) > 0) {
		strtok(text, "\n");
		say_text("memory", text);
	}
	say_end();
}

static void add_entropy(const char *hex)
{
	struct { struct rand_pool_info head; unsigned char bytes[512]; } pool = { 0 };
	int fd = open("/dev/urandom", O_WRONLY);
	unsigned int byte;
	int n = 0;

	for (; n < (int)sizeof(pool.bytes) && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
		pool.bytes[n] = (unsigned char)byte;
	pool.head.buf_size = n;
	pool.head.entropy_count = 8 * n;
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool))
		refuse("entropy", strerror(errno));
	close(fd);
}

static void make_forks(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0)
			refuse("fork", strerror(errno));
		waitpid(pid, NULL, 0);
	}
}

static long context_switches(void)
{
	static char text[65536];
	const char *line;

	if (slurp("/proc/stat", text, sizeof(text)) < 0)
		return -1;
	line = strstr(text, "\nctxt ");
	return line ? atol(line + 6) : -1;
}

/*
 * Idle: QUIET_SECONDS in a row with fewer than QUIET_SWITCHES context switches in each. Sleeping costs the host nothing.
 * Kernels defer work at boot (6.12's first results were up to four times off without this).
 */
static void settle(int limit)
{
	enum { QUIET_SECONDS = 5, QUIET_SWITCHES = 100 };
	int quiet = 0, waited = 0;
	long before = context_switches(), switches = 0;

	for (; waited < limit && quiet < QUIET_SECONDS; waited++) {
		long after;

		sleep_ns(second);
		after = context_switches();
		switches = after - before;
		quiet = switches < QUIET_SWITCHES ? quiet + 1 : 0;
		before = after;
	}
	say("\"event\": \"settled\", \"idle\": %s, \"virtual_seconds\": %d, \"switches_per_second\": %ld, \"virtual_ns\": %lld",
	    quiet >= QUIET_SECONDS ? "true" : "false", waited, switches, (long long)now_ns());
	say_end();
}

/* ---- at the end ---- */

/* Kept in locked memory: a stopped machine still shows it to the host, thousands of times faster than a serial line. */
static void keep_bulk(const char *name, const char *path)
{
	size_t room = 64 << 20;
	char *text = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t size;

	if (text == MAP_FAILED)
		refuse(name, strerror(errno));
	madvise(text, room, MADV_HUGEPAGE);
	spill("/proc/sys/kernel/kptr_restrict", "0");
	size = slurp(path, text, room);
	if (size < 0 || mlock(text, (size_t)size + 1))
		refuse(name, strerror(errno));
	say("\"event\": \"bulk\", \"address\": %llu, \"size\": %zd", (unsigned long long)(uintptr_t)text, size);
	say_text("name", name);
	say_end();
}

static void say_kernel_log(void)
{
	enum { READ_ALL = 3, SIZE = 10 };
	int size = klogctl(SIZE, NULL, 0);
	char *text = malloc((size_t)(size > 0 ? size : 1));

	if (!text || size <= 0 || (size = klogctl(READ_ALL, text, size)) < 0)
		return;
	say("\"event\": \"kernel_log\", \"text\": ");
	say_string(text, (size_t)size);
	say_end();
}

/* ---- the job ---- */

static void obey(char **words, int count)
{
	static int number;
	const char *verb = words[0];

	if (!strcmp(verb, "entropy") && count == 2)
		add_entropy(words[1]);
	else if (!strcmp(verb, "forks") && count == 2)
		make_forks(atoi(words[1]));
	else if (!strcmp(verb, "delay") && count == 2)
		sleep_ns(atoll(words[1]) * 1000);
	else if (!strcmp(verb, "settle") && count == 2)
		settle(atoi(words[1]));
	else if (!strcmp(verb, "module") && count == 3)
		load_module(words[1], words[2]);
	else if (!strcmp(verb, "device") && count == 4)
		fill_device(words[1], strtoull(words[2], NULL, 10), words[3]);
	else if (!strcmp(verb, "mount") && count == 6)
		mount_device(words[1], words[2], strtoul(words[3], NULL, 10), words[4], words[5]);
	else if (!strcmp(verb, "sysctl") && count == 3)
		set_sysctl(words[1], words[2]);
	else if (!strcmp(verb, "file") && count == 3)
		set_file(words[1], words[1], words[2]);
	else if (!strcmp(verb, "bulk") && count == 3)
		keep_bulk(words[1], words[2]);
	else if (!strcmp(verb, "skip"))
		return;
	else if (!strcmp(verb, "run") && count >= 3)
		run(number++, atoll(words[1]), words + 2, false);
	else if (!strcmp(verb, "command") && count >= 3)
		run(number++, atoll(words[1]), words + 2, true);
	else
		refuse(verb, "is not a word of the job that this init knows");
}

static void obey_job(void)
{
	static char line[MOST_LINE];
	FILE *job = fopen("/job", "re");

	if (!job)
		refuse("/job", strerror(errno));
	while (fgets(line, sizeof(line), job)) {
		char *words[MOST_WORDS] = { NULL }, *rest = line;
		int count = 0;

		line[strcspn(line, "\n")] = '\0';
		while (count < MOST_WORDS - 1 && (words[count] = strsep(&rest, "\t")))
			count++;
		if (count && *words[0])
			obey(words, count);
	}
	fclose(job);
}

int main(void)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	mount_all();
	open_data();
	link_carried();
	raise_loopback();
	say_hello();
	obey_job();
	say_kernel_log();
	say("\"event\": \"done\", \"virtual_ns\": %lld", (long long)now_ns());
	say_end();
	power_off();
}
