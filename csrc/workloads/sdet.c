/*
 * Description: many software developers at one machine: each runs scripts of the commands that developers type all day.
 *
 * SPEC and the benchmark name SDET are trademarks of the Standard Performance Evaluation Corporation. This is not SPEC's program
 * but one written after its idea; results are non-compliant and not comparable with any published ones.
 *
 * Operation: one script: all of `tasks` below, three dozen commands, executed directly and waited for one after another.
 * `scripts` of them run at the same time, each in a folder of its own, with the tasks in an order that is drawn for it, so that
 * they are not in step. The order depends on the script's number only: all runs do the same. The clock runs from the start of all
 * to the end of the last one. A command that fails, or ends otherwise than it always does, is a failed run.
 */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "wl.h"

enum { MOST_SCRIPTS = 1024, MOST_WORDS = 10, MOST_COMMANDS = 5, TEXT_LINES = 500, LINE_WORDS = 6 };

static long scripts = 1;

/* Commands of one task follow each other; tasks do not need each other. `!` marks a command that ends with exit status 1. */
static const char *const tasks[][MOST_COMMANDS] = {
	{ "mkdir saved", "cp -p main.c table.c table.h Makefile saved", "ls -l saved", "rm -r saved" },
	{ "cp table.c edited.c", "sed -i s/entry/record/g edited.c", "!diff -u table.c edited.c", "rm edited.c" },
	{ "grep -n entry main.c table.c table.h", "grep -c -e ab -e ru text" },
	{ "cat main.c table.c table.h Makefile text" },
	{ "awk {n+=NF}END{print(n)} text", "awk {n[$1]++;if(NR%50==0)print(NR,$1,n[$1])} text" },
	{ "sort -o sorted text", "uniq -c sorted", "rm sorted" },
	{ "wc main.c table.c table.h Makefile text" },
	{ "find . -type f -name *.c", "find . -type f -size +4k" },
	{ "cc -O -Wall -o direct main.c table.c", "./direct text", "rm direct" },
	{ "make count", "./count text", "make", "make clean" },
	{ "tar -cf files.tar main.c table.c table.h Makefile text", "tar -tf files.tar", "rm files.tar" },
	{ "touch note", "chmod 600 note", "mv note memo", "ls -l memo", "rm memo" },
	{ "head -n 20 text", "tail -n 20 text" },
};

enum { TASKS = sizeof(tasks) / sizeof(*tasks) };

static struct program {
	const char *name, *package;
	char path[PATH_MAX];
} programs[] = {
	{ .name = "awk", .package = "mawk" },		{ .name = "cat", .package = "coreutils" },
	{ .name = "cc", .package = "gcc" },		{ .name = "chmod", .package = "coreutils" },
	{ .name = "cp", .package = "coreutils" },	{ .name = "diff", .package = "diffutils" },
	{ .name = "find", .package = "findutils" },	{ .name = "grep", .package = "grep" },
	{ .name = "head", .package = "coreutils" },	{ .name = "ls", .package = "coreutils" },
	{ .name = "make", .package = "make" },		{ .name = "mkdir", .package = "coreutils" },
	{ .name = "mv", .package = "coreutils" },	{ .name = "rm", .package = "coreutils" },
	{ .name = "sed", .package = "sed" },		{ .name = "sort", .package = "coreutils" },
	{ .name = "tail", .package = "coreutils" },	{ .name = "tar", .package = "tar" },
	{ .name = "touch", .package = "coreutils" },	{ .name = "uniq", .package = "coreutils" },
	{ .name = "wc", .package = "coreutils" },
};

enum { PROGRAMS = sizeof(programs) / sizeof(*programs) };

struct command {
	const char *text, *path;
	char *argv[MOST_WORDS + 1];
	int status;
};

static struct command commands[TASKS][MOST_COMMANDS + 1];

/* What the commands work on. The program counts the words of a file. */
static const char *const inputs[][2] = {
	{ "Makefile",
	  "objects = main.o table.o\n"
	  "CFLAGS = -O -Wall\n"
	  "\n"
	  "count: $(objects)\n"
	  "\t$(CC) -o $@ $(objects)\n"
	  "\n"
	  "$(objects): table.h\n"
	  "\n"
	  "clean:\n"
	  "\trm -f count $(objects)\n" },
	{ "table.h",
	  "struct entry {\n"
	  "\tstruct entry *next;\n"
	  "\tunsigned long count;\n"
	  "\tchar word[64];\n"
	  "};\n"
	  "\n"
	  "struct entry *find_entry(const char *word);\n"
	  "const struct entry *largest_entry(void);\n" },
	{ "table.c",
	  "#include <stdlib.h>\n"
	  "#include <string.h>\n"
	  "\n"
	  "#include \"table.h\"\n"
	  "\n"
	  "#define SLOTS 1009\n"
	  "\n"
	  "static struct entry *table[SLOTS];\n"
	  "\n"
	  "static unsigned slot_of(const char *word)\n"
	  "{\n"
	  "\tunsigned hash = 5381;\n"
	  "\n"
	  "\twhile (*word)\n"
	  "\t\thash = hash * 33 + (unsigned char)*word++;\n"
	  "\treturn hash % SLOTS;\n"
	  "}\n"
	  "\n"
	  "struct entry *find_entry(const char *word)\n"
	  "{\n"
	  "\tstruct entry **slot = &table[slot_of(word)];\n"
	  "\tstruct entry *entry;\n"
	  "\n"
	  "\tfor (entry = *slot; entry; entry = entry->next)\n"
	  "\t\tif (!strcmp(entry->word, word))\n"
	  "\t\t\treturn entry;\n"
	  "\tentry = calloc(1, sizeof(*entry));\n"
	  "\tif (!entry)\n"
	  "\t\texit(1);\n"
	  "\tstrncpy(entry->word, word, sizeof(entry->word) - 1);\n"
	  "\tentry->next = *slot;\n"
	  "\t*slot = entry;\n"
	  "\treturn entry;\n"
	  "}\n"
	  "\n"
	  "const struct entry *largest_entry(void)\n"
	  "{\n"
	  "\tconst struct entry *largest = NULL;\n"
	  "\n"
	  "\tfor (int slot = 0; slot < SLOTS; slot++)\n"
	  "\t\tfor (const struct entry *entry = table[slot]; entry; entry = entry->next)\n"
	  "\t\t\tif (!largest || entry->count > largest->count)\n"
	  "\t\t\t\tlargest = entry;\n"
	  "\treturn largest;\n"
	  "}\n" },
	{ "main.c",
	  "#include <stdio.h>\n"
	  "\n"
	  "#include \"table.h\"\n"
	  "\n"
	  "int main(int argc, char **argv)\n"
	  "{\n"
	  "\tFILE *file = argc == 2 ? fopen(argv[1], \"r\") : NULL;\n"
	  "\tchar word[64];\n"
	  "\n"
	  "\tif (!file)\n"
	  "\t\treturn 1;\n"
	  "\twhile (fscanf(file, \"%63s\", word) == 1)\n"
	  "\t\tfind_entry(word)->count++;\n"
	  "\tfclose(file);\n"
	  "\tif (!largest_entry())\n"
	  "\t\treturn 1;\n"
	  "\tprintf(\"%s %lu\\n\", largest_entry()->word, largest_entry()->count);\n"
	  "\treturn 0;\n"
	  "}\n" },
};

static char root[PATH_MAX], search[PATH_MAX], tmpdir[PATH_MAX + 32];
static char *environment[] = { search, tmpdir, "LC_ALL=C", NULL };
static pid_t owner, workers[MOST_SCRIPTS];

/* Rounds are started as in hackbench. On `done` come a zero for each worker that is through, and the number of each signal. */
static int start[2][2], done[2];
static long round_number;
static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

/* splitmix64, by Sebastiano Vigna. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void find_program(struct program *program)
{
	const char *rest = getenv("PATH");

	while (rest && *rest) {
		size_t length = strcspn(rest, ":");

		snprintf(program->path, sizeof(program->path), "%.*s/%s", (int)length, rest, program->name);
		if (*rest == '/' && !access(program->path, X_OK))
			return;
		rest += length + (rest[length] == ':');
	}
	program->path[0] = '\0';
}

static void find_programs(void)
{
	char missing[1024] = "";

	for (int i = 0; i < PROGRAMS; i++) {
		size_t length = strlen(missing);

		find_program(&programs[i]);
		if (!*programs[i].path)
			snprintf(missing + length, sizeof(missing) - length, " %s (Debian package %s)", programs[i].name,
				 programs[i].package);
	}
	if (*missing)
		wl_exit(WL_NOT_HERE, "not on this machine:%s", missing);
}

static const char *path_of(const char *name)
{
	for (int i = 0; i < PROGRAMS; i++)
		if (!strcmp(programs[i].name, name))
			return programs[i].path;
	return name;
}

static void split(struct command *command, const char *text)
{
	char *rest = strdup(text + (*text == '!'));

	if (!rest)
		wl_fail("strdup");
	command->text = text;
	command->status = *text == '!';
	for (int i = 0; i < MOST_WORDS && (command->argv[i] = strsep(&rest, " ")); i++)
		;
	command->path = path_of(command->argv[0]);
}

static void split_all(void)
{
	for (int task = 0; task < TASKS; task++)
		for (int i = 0; i < MOST_COMMANDS && tasks[task][i]; i++)
			split(&commands[task][i], tasks[task][i]);
}

static void write_text(FILE *file)
{
	static const char *const syllables[] = { "ab", "de", "gon", "ka", "lim", "o", "ru", "sti" };
	uint64_t state = 0;

	for (int word = 0; word < TEXT_LINES * LINE_WORDS; word++)
		fprintf(file, "%s%s%s%c", syllables[draw(&state) % 8], syllables[draw(&state) % 8], syllables[draw(&state) % 8],
			word % LINE_WORDS == LINE_WORDS - 1 ? '\n' : ' ');
}

/* In the current folder. `text` is written where there is no content. */
static void write_input(const char *name, const char *content)
{
	FILE *file = fopen(name, "wxe");

	if (!file)
		wl_fail(name);
	if (content)
		fputs(content, file);
	else
		write_text(file);
	if (ferror(file) | fclose(file))
		wl_fail(name);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

/* At every end of the program. As the subreaper it is the parent of all that a killed worker leaves, and so can wait for it. */
static void clean_up(void)
{
	if (getpid() != owner)
		return;
	signal(SIGCHLD, SIG_DFL);
	for (long i = 0; i < scripts; i++)
		if (workers[i] > 0)
			kill(-workers[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void tell(int number)
{
	char byte = (char)number;
	int saved = errno;
	ssize_t ignored = write(done[1], &byte, 1);

	(void)ignored;
	errno = saved;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = tell, .sa_flags = SA_RESTART | SA_NOCLDSTOP };

	sigaction(SIGCHLD, &action, NULL);
	for (int i = 0; i < 3; i++)
		if (signal(ends[i], tell) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

/* In a worker. Its parent learns of the failure from its end. */
static void run_command(const struct command *command)
{
	pid_t parent = getpid(), pid = fork();
	int status, out;

	if (pid < 0)
		wl_fail("fork (see ulimit -u)");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		out = open("out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (getppid() == parent && dup2(out, STDOUT_FILENO) >= 0)
			execve(command->path, command->argv, environment);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		wl_fail("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != command->status)
		wl_exit(WL_FAILED, "'%s' ended with wait status 0x%x, not 0x%x", command->text + command->status, status,
			command->status << 8);
}

static void run_script(long worker, long number)
{
	uint64_t state = (uint64_t)worker << 32 | (uint64_t)number;
	int order[TASKS];

	for (int i = 0; i < TASKS; i++) {
		int j = (int)(draw(&state) % (uint64_t)(i + 1));

		order[i] = order[j];
		order[j] = i;
	}
	for (int i = 0; i < TASKS; i++)
		for (const struct command *command = commands[order[i]]; command->text; command++)
			run_command(command);
}

static void work(long worker)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	long count;

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
		wl_fail("/dev/null");
	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s/%ld", root, worker);
	for (long i = 0;; i++) {
		wl_read(start[i % 2][0], &count, sizeof(count));
		if (!count)
			_exit(WL_FINE);
		for (long number = 0; number < count; number++)
			run_script(worker, number);
		wl_write(done[1], "", 1);
	}
}

/* A process group each: what a worker has started is killed with it. */
static void start_worker(long worker)
{
	pid_t pid = fork();

	if (pid < 0)
		wl_exit(WL_NOT_HERE, "%ld scripts: %s (see ulimit -u)", scripts, strerror(errno));
	workers[worker] = pid;
	setpgid(pid, pid);
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner)
		_exit(WL_FAILED);
	signal(SIGCHLD, SIG_DFL);
	for (int i = 0; i < 3; i++)
		if (signal(ends[i], SIG_DFL) == SIG_IGN)
			signal(ends[i], SIG_IGN);
	work(worker);
}

static void make_folder(long worker)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%ld", root, worker);
	if (mkdir(path, 0700) || chdir(path))
		wl_fail(path);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++)
		write_input(inputs[i][0], inputs[i][1]);
	write_input("text", NULL);
}

static void make_root(void)
{
	const char *path = wl_tmp("-sdet");

	if (mkdir(path, 0700) || !realpath(path, root))
		wl_fail(path);
	owner = getpid();
	atexit(clean_up);
}

static void setup(void)
{
	find_programs();
	split_all();
	snprintf(search, sizeof(search), "PATH=%s", getenv("PATH"));
	make_root();
	if (pipe2(start[0], O_CLOEXEC) || pipe2(start[1], O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		wl_fail("pipe");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	catch_signals();
	for (long i = 0; i < scripts; i++) {
		make_folder(i);
		start_worker(i);
	}
	if (chdir("/"))
		wl_fail("/");
}

static long script_count(void)
{
	return scripts;
}

static void tell_all(long count)
{
	int to = start[round_number++ % 2][1];

	for (long i = 0; i < scripts; i++)
		wl_write(to, &count, sizeof(count));
}

static void interrupted(int number)
{
	siginfo_t info;

	if (number == SIGCHLD) {
		if (!waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) && info.si_code != CLD_EXITED)
			wl_exit(WL_FAILED, "a script was killed by signal %d", info.si_status);
		exit(WL_FAILED);
	}
	clean_up();
	signal(number, SIG_DFL);
	raise(number);
}

static void run(long units)
{
	char byte;

	tell_all(units);
	for (long i = 0; i < units * wl_getppid; i++)
		getppid();
	for (long i = 0; i < scripts; i++) {
		wl_read(done[0], &byte, 1);
		if (byte)
			interrupted(byte);
	}
}

static void teardown(void)
{
	signal(SIGCHLD, SIG_DFL);
	tell_all(0);
	for (long i = 0; i < scripts; i++) {
		int status = 0;

		if (waitpid(workers[i], &status, 0) != workers[i] || status)
			wl_exit(WL_FAILED, "a script ended with wait status %d", status);
		workers[i] = 0;
	}
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { "scripts", &scripts, 1, MOST_SCRIPTS, NULL }, { 0 } };
	static const struct wl wl = {
		.name = "sdet", .params = params, .setup = setup, .per_unit = script_count,
		.run = run, .teardown = teardown, .most_units = 1 << 10,
	};

	return wl_main(&wl, argc, argv);
}
