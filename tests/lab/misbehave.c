/*
 * Description: a workload that goes wrong in the way that its parameter names.
 */
#include <fcntl.h>
#include <signal.h>

#include "wl.h"

static const char *how = "fine";

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_NOCTTY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		wl_fail(path);
	close(fd);
}

static void spin(void)
{
	for (;;)
		getppid();
}

static void run(long units)
{
	(void)units;
	if (!strcmp(how, "exit1"))
		wl_exit(WL_FAILED, "this workload failed as told");
	if (!strcmp(how, "exit77"))
		wl_exit(WL_NOT_HERE, "this workload cannot run here as told");
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "garbage"))
		write_to("/dev/ttyS1", "garbage \xff\"}{ {\"event\": \"end\", \"program\": 0}\n");
	if (!strcmp(how, "panic"))
		write_to("/proc/sysrq-trigger", "c");
	if (!strcmp(how, "sleep"))
		pause();
	if (!strcmp(how, "spin"))
		spin();
}

int main(int argc, char **argv)
{
	static const struct wl_param params[] = { { .name = "how", .text = &how }, { 0 } };
	static const struct wl wl = { .name = "misbehave", .params = params, .run = run };

	return wl_main(&wl, argc, argv);
}
