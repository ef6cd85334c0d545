/*
 * Description: settings of the kernel that are files: written, read back, and refused where they did not stick.
 */
#ifndef KDELTA_GUEST_SETTING_H
#define KDELTA_GUEST_SETTING_H

#include <ctype.h>
#include <sys/mount.h>

#include "say.h"

enum { MOST_VALUE = 4096 };

/* White space folded, as the kernel prints some values with tabs between numbers. */
static void fold(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* Whether found says wanted; of a selection, "always [madvise] never", the word in brackets counts. */
static bool says(const char *found, const char *wanted)
{
	const char *word = strchr(found, '['), *end = word ? strchr(word, ']') : NULL;

	if (!strcmp(found, wanted))
		return true;
	return end && (size_t)(end - word - 1) == strlen(wanted) && !strncmp(word + 1, wanted, strlen(wanted));
}

static void set_file(const char *name, const char *path, const char *value)
{
	static const char debug[] = "/sys/kernel/debug";
	static char wanted[MOST_VALUE], found[MOST_VALUE], why[2 * MOST_VALUE + 64];

	if (!strncmp(path, debug, sizeof(debug) - 1))
		mount("debugfs", debug, "debugfs", 0, NULL);
	snprintf(wanted, sizeof(wanted), "%s", value);
	fold(wanted);
	if (spill(path, value) || slurp(path, found, sizeof(found)) < 0)
		refuse(name, strerror(errno));
	fold(found);
	if (says(found, wanted))
		return;
	snprintf(why, sizeof(why), "was set to '%s' but reads back as '%s'", wanted, found);
	refuse(name, why);
}

static void set_sysctl(const char *name, const char *value)
{
	char path[512];

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	for (char *p = path + sizeof("/proc/sys"); *p; p++)
		*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	set_file(name, path, value);
}

#endif
