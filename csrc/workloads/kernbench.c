/*
 * Description: build a Linux kernel with `make -jN`, as developers do all day, and say what the build took.
 *
 * The tree is only read: the build is `make -C tree O=FOLDER`, in a folder of its own below $TMPDIR that stays for the next run.
 * Before each build comes a `make clean` that is not timed. One run has one load:
 *
 *   load=single    -j1                       load=2x        -j 2n
 *   load=half      -j n/2, at least 1        load=16x       -j 16n
 *   load=optimal   -j 4n                     load=maximal   -j
 *   load=N         -j N
 *
 * where n is the number of CPUs that the process may use. Each build prints one JSON object on a line of its own, when it is done:
 *
 *   {"iteration": 0, "warmup": false, "metrics": {"elapsed_s": 44.09, "user_s": 577.01, "system_s": 78.84, "percent_cpu": 1487.6,
 *    "context_switches": 40127, "sleeps": 98231, "peak_tasks": 134}}
 *
 * All but the last are from wait4() of make, which holds every process that make or a child of it has waited for.
 * context_switches are the involuntary ones, sleeps the voluntary ones: %c and %w of GNU time. peak_tasks is by how much the
 * number of tasks of the whole machine (/proc/loadavg) rose above that before the build, sampled 50 times in a second.
 * After kernbench 0.50 by Con Kolivas, which builds in the tree, and averages each load with those before it; and after the
 * loads of Martin J. Bligh's mails: 2x, 16x and maximal.
 */
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "wl.h"

enum { MOST_JOBS = 65536, MOST_CPUS = 65536, MOST_CONFIG = 1 << 24, MOST_WORDS = 8, LOG_LINES = 10, LOG_BYTES = 4096 };

static const struct timespec sample_every = { .tv_nsec = 20000000 };

static const char *tree = "", *config = "tinyconfig", *target = "vmlinux", *load = "optimal";
static char tree_path[PATH_MAX], folder[PATH_MAX], output[PATH_MAX + 2], jobs[16];
static char *config_text;	/* the configuration, where `config` is a file */
static size_t config_size;

struct build {
	int64_t elapsed_ns;
	struct rusage usage;
	long peak_tasks;
};

/* The path of a file in the build folder. */
static const char *in_folder(const char *name)
{
	static char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static long cpus_allowed(void)
{
	size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *set = CPU_ALLOC(MOST_CPUS);

	/* The kernel leaves out those that are offline. */
	if (!set || sched_getaffinity(0, size, set))
		wl_fail("sched_getaffinity");
	return CPU_COUNT_S(size, set);
}

/* The number behind -j; 0 for none: as many as there is to do. */
static long job_count(long cpus)
{
	char *end;
	long number = strtol(load, &end, 10);

	if (!strcmp(load, "single"))
		return 1;
	if (!strcmp(load, "half"))
		return cpus > 1 ? cpus / 2 : 1;
	if (!strcmp(load, "optimal"))
		return 4 * cpus;
	if (!strcmp(load, "2x"))
		return 2 * cpus;
	if (!strcmp(load, "16x"))
		return 16 * cpus;
	if (!strcmp(load, "maximal"))
		return 0;
	if (end == load || *end || number < 1 || number > MOST_JOBS)
		wl_exit(WL_MISUSED, "load=%s: single, half, optimal, 2x, 16x, maximal or a whole number from 1 to %d is needed", load,
			MOST_JOBS);
	return number;
}

static void set_jobs(void)
{
	long number = job_count(cpus_allowed());

	snprintf(jobs, sizeof(jobs), number ? "-j%ld" : "-j", number);
}

static void check_target(void)
{
	if (!*target || *target == '-' || strchr(target, '='))
		wl_exit(WL_MISUSED, "target=%s: what make is to build is needed, such as vmlinux", target);
}

static bool is_word(void)
{
	return !strcmp(config, "tinyconfig") || !strcmp(config, "defconfig");
}

static void read_config(void)
{
	FILE *file = is_word() ? NULL : fopen(config, "re");

	if (is_word())
		return;
	config_text = malloc(MOST_CONFIG);
	if (!file || !config_text)
		wl_exit(WL_MISUSED, "config=%s: tinyconfig, defconfig or a file is needed: %s", config, strerror(errno));
	config_size = fread(config_text, 1, MOST_CONFIG, file);
	if (ferror(file) || !config_size || config_size == MOST_CONFIG)
		wl_exit(WL_MISUSED, "config=%s: this is no kernel configuration", config);
	fclose(file);
}

static bool in_tree(const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", tree_path, name);
	return !access(path, F_OK);
}

static void find_tree(void)
{
	if (!*tree)
		wl_exit(WL_MISUSED, "tree=PATH is needed: the kernel sources to build");
	if (!realpath(tree, tree_path))
		wl_exit(WL_MISUSED, "tree=%s: %s", tree, strerror(errno));
	if (!in_tree("Makefile") || !in_tree("Kconfig"))
		wl_exit(WL_MISUSED, "tree=%s: no kernel sources: there must be a Makefile and a Kconfig", tree);
}

/* What kbuild itself refuses, in words that say more. Its Makefile looks at the same files (outputmakefile). */
static void check_tree(void)
{
	static const char *const left[] = { ".config", "include/config", "arch/x86/include/generated" };

	if (strpbrk(tree_path, " :"))
		wl_exit(WL_NOT_HERE, "tree=%s: kbuild takes no path with a space or a colon", tree);
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (in_tree(left[i]))
			wl_exit(WL_NOT_HERE, "tree=%s: it was built in (%s): run make mrproper there, or give a git worktree", tree,
				left[i]);
}

static bool is_program(const char *name)
{
	const char *rest = getenv("PATH");
	char path[PATH_MAX];

	while (rest && *rest) {
		size_t length = strcspn(rest, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)length, rest, name);
		if (!access(path, X_OK))
			return true;
		rest += length + (rest[length] == ':');
	}
	return false;
}

static void check_tools(void)
{
	static const char *const tools[][2] = {
		{ "make", "make" }, { "gcc", "gcc" }, { "ld", "binutils" }, { "flex", "flex" }, { "bison", "bison" }, { "bc", "bc" },
	};
	char names[128] = "", packages[128] = "";

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		if (is_program(tools[i][0]))
			continue;
		strcat(strcat(names, " "), tools[i][0]);
		strcat(strcat(packages, " "), tools[i][1]);
	}
	if (*names)
		wl_exit(WL_NOT_HERE, "not on this machine:%s (Debian packages:%s)", names, packages);
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Named by tree and configuration: the next run with both finds it, one with another of them does not. */
static void name_folder(void)
{
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), tree_path, strlen(tree_path) + 1);
	char base[PATH_MAX];

	hash = config_text ? mix(hash, config_text, config_size) : mix(hash, config, strlen(config));
	if (!realpath(tmp, base))
		wl_fail(tmp);
	if (strpbrk(base, " :"))
		wl_exit(WL_NOT_HERE, "TMPDIR=%s: kbuild takes no path with a space or a colon", base);
	if (snprintf(folder, sizeof(folder), "%s/kernbench-%016" PRIx64, base, hash) >= (int)sizeof(folder))
		wl_exit(WL_FAILED, "TMPDIR=%s: too long", base);
	snprintf(output, sizeof(output), "O=%s", folder);
}

/* The lock is held until the end. */
static void take_folder(void)
{
	struct stat found;
	int fd;

	if (mkdir(folder, 0700) && errno != EEXIST)
		wl_fail(folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &found))
		wl_fail(folder);
	if (found.st_uid != geteuid())
		wl_exit(WL_NOT_HERE, "%s is another user's: set TMPDIR to another folder", folder);
	if (flock(fd, LOCK_EX | LOCK_NB))
		wl_exit(WL_NOT_HERE, "another kernbench builds in %s: set TMPDIR to another folder", folder);
}

/* The same for every build, whatever the caller's environment. */
static void set_environment(void)
{
	static const char *const set[][2] = {
		{ "LC_ALL", "C" },			{ "CCACHE_DISABLE", "1" },
		{ "KBUILD_BUILD_USER", "kernbench" },	{ "KBUILD_BUILD_TIMESTAMP", "Sat Jan  1 00:00:00 UTC 2000" },
		{ "KBUILD_BUILD_HOST", "kernbench" },	{ "KBUILD_BUILD_VERSION", "1" },
		{ "PYTHONDONTWRITEBYTECODE", "1" },
	};
	static const char *const unset[] = {
		"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEFILES", "KBUILD_OUTPUT", "KBUILD_EXTMOD",
	};

	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++)
		setenv(set[i][0], set[i][1], 1);
	for (size_t i = 0; i < sizeof(unset) / sizeof(*unset); i++)
		unsetenv(unset[i]);
}

/*
 * A build is hundreds of processes that must not outlive this one, however it ends. The guard leads the process group that they
 * are in, and kills it when the other end of its pipe is closed; that a signal at the parent's death would reach make only.
 */
static pid_t guard;
static int guard_pipe[2];

static void watch(void)
{
	char byte;

	close(guard_pipe[1]);
	while (read(guard_pipe[0], &byte, 1) < 0 && errno == EINTR)
		;
	kill(0, SIGKILL);
}

static void end_guard(void)
{
	close(guard_pipe[1]);
	waitpid(guard, NULL, 0);
}

static void start_guard(void)
{
	if (pipe2(guard_pipe, O_CLOEXEC))
		wl_fail("pipe");
	guard = fork();
	if (guard < 0)
		wl_fail("fork");
	setpgid(guard, guard);
	if (!guard)
		watch();
	close(guard_pipe[0]);
	atexit(end_guard);
}

static void become_make(const char *const *words)
{
	const char *argv[MOST_WORDS + 5] = { "make", "-C", tree_path, output };
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int log = open(in_folder("kernbench.log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	sigset_t none;

	for (int i = 0; words[i]; i++)
		argv[4 + i] = words[i];
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setpgid(0, guard) || dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	execvp("make", (char *const *)argv);
	_exit(127);
}

/* Processes and threads of the whole machine. */
static long tasks(void)
{
	static int fd = -1;
	char text[128];
	ssize_t size;
	long number;

	if (fd < 0)
		fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	size = pread(fd, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = '\0';
	if (sscanf(text, "%*s %*s %*s %*d/%ld", &number) != 1)
		wl_exit(WL_NOT_HERE, "/proc/loadavg does not tell the number of tasks");
	return number;
}

/* Wait for `pid`, and count tasks meanwhile. SIGCHLD is blocked: it ends the pause between two samples. */
static int wait_and_sample(pid_t pid, struct rusage *usage, long *peak)
{
	sigset_t child;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		pid_t ended = wait4(pid, &status, WNOHANG, usage);
		long now;

		if (ended == pid)
			return status;
		if (ended < 0)
			wl_fail("wait4");
		now = tasks();
		*peak = now > *peak ? now : *peak;
		sigtimedwait(&child, NULL, &sample_every);
	}
}

static void show_log(void)
{
	FILE *log = fopen(in_folder("kernbench.log"), "re");
	char text[LOG_BYTES + 1];
	char *from;
	int lines = 0;

	if (!log)
		return;
	if (fseek(log, -LOG_BYTES, SEEK_END))
		rewind(log);
	from = text + fread(text, 1, LOG_BYTES, log);
	*from = '\0';
	while (from > text && (from[-1] != '\n' || !*from || ++lines < LOG_LINES))
		from--;
	fputs(from, stderr);
	fclose(log);
}

static void run_make(const char *const *words, struct build *build)
{
	long before = tasks(), peak = 0;
	int64_t start = wl_now_ns();
	int status;
	pid_t pid = fork();

	if (pid < 0)
		wl_fail("fork");
	if (!pid)
		become_make(words);
	status = wait_and_sample(pid, &build->usage, &peak);
	build->elapsed_ns = wl_now_ns() - start;
	build->peak_tasks = peak - before;
	if (!status)
		return;
	fprintf(stderr, "make");
	for (int i = 0; words[i]; i++)
		fprintf(stderr, " %s", words[i]);
	fprintf(stderr, " ended with wait status %d; the end of %s:\n", status, in_folder("kernbench.log"));
	show_log();
	exit(WL_FAILED);
}

static void make(const char *word)
{
	struct build ignored;

	run_make((const char *const[]){ word, NULL }, &ignored);
}

static void write_file(const char *name, const char *text, size_t size)
{
	FILE *file = fopen(in_folder(name), "we");

	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		wl_fail(in_folder(name));
}

/* The mark is the last thing written: a run that was killed leaves none. What the tree may have got since is set as it defaults. */
static void configure(void)
{
	static const char mark[] = "kernbench.configured";

	if (config_text && access(in_folder(mark), F_OK))
		write_file(".config", config_text, config_size);
	make(config_text || !access(in_folder(mark), F_OK) ? "olddefconfig" : config);
	write_file(mark, tree_path, strlen(tree_path));
}

static int read_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
	static char buffer[1 << 18];
	int fd;

	(void)status;
	/* No build reads the history. */
	if (type == FTW_D && !strcmp(path + place->base, ".git"))
		return FTW_SKIP_SUBTREE;
	if (type != FTW_F)
		return FTW_CONTINUE;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
	return FTW_CONTINUE;
}

/* Unlike the first build, the ones after it find the sources in memory; kernbench 0.50 reads them all too. */
static void read_tree(void)
{
	if (nftw(tree_path, read_file, 64, FTW_PHYS | FTW_ACTIONRETVAL))
		wl_fail(tree_path);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void print(long iteration, const struct build *build)
{
	double elapsed = (double)build->elapsed_ns / 1e9;
	double user = seconds(build->usage.ru_utime), system = seconds(build->usage.ru_stime);

	if (build->elapsed_ns <= 0)
		wl_exit(WL_FAILED, "the clock did not advance: %" PRId64 " ns over a build", build->elapsed_ns);
	printf("{\"iteration\": %ld, \"warmup\": %s, \"metrics\": {\"elapsed_s\": %.9f, \"user_s\": %.6f, \"system_s\": %.6f, "
	       "\"percent_cpu\": %.9f, \"context_switches\": %ld, \"sleeps\": %ld, \"peak_tasks\": %ld}}\n",
	       iteration, iteration < 0 ? "true" : "false", elapsed, user, system, 100 * (user + system) / elapsed,
	       build->usage.ru_nivcsw, build->usage.ru_nvcsw, build->peak_tasks);
	if (fflush(stdout) || ferror(stdout))
		wl_fail("stdout");
}

static void measure(struct wl_options options)
{
	const char *const words[] = { jobs, target, NULL };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	configure();
	if (options.warmup)
		read_tree();
	for (long i = -options.warmup; i < options.iterations; i++) {
		struct build build = { 0 };

		make("clean");
		if (i >= 0)
			wl_window("enable\n");
		run_make(words, &build);
		if (i >= 0)
			wl_window("disable\n");
		print(i, &build);
	}
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = {
		{ .name = "tree", .text = &tree }, { .name = "config", .text = &config },
		{ .name = "target", .text = &target }, { .name = "load", .text = &load }, { 0 },
	};
	static const struct wl wl = { .name = "kernbench", .params = params };
	struct wl_options options = wl_parse(&wl, argc, argv);

	if (wl_getppid)
		wl_exit(WL_MISUSED, "getppid=%ld: a build has no operations to add calls to", wl_getppid);
	wl_pin(options.cpu);
	wl_open_window();
	set_jobs();
	check_target();
	read_config();
	find_tree();
	check_tools();
	check_tree();
	set_environment();
	name_folder();
	take_folder();
	start_guard();
	measure(options);
	return WL_FINE;
}
