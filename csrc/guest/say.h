/*
 * Description: what init says to the host, one JSON object on a line of the data port, and the small files that it reads and writes.
 */
#ifndef KDELTA_GUEST_SAY_H
#define KDELTA_GUEST_SAY_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static FILE *data;
static int64_t second = 1000000000;

static void say_string(const char *text, size_t size)
{
	fputc('"', data);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(data, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(data, "\\u%04x", c);
		else
			fputc(c, data);
	}
	fputc('"', data);
}

/* The line must have left before anything is measured: its interrupts would be counted. */
static void say_end(void)
{
	fputs("}\n", data);
	fflush(data);
	tcdrain(fileno(data));
}

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	va_list args;

	fputc('{', data);
	va_start(args, format);
	vfprintf(data, format, args);
	va_end(args);
}

static void say_text(const char *key, const char *text)
{
	fprintf(data, ", \"%s\": ", key);
	say_string(text, strlen(text));
}

__attribute__((noreturn))
static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

__attribute__((noreturn))
static void refuse(const char *what, const char *why)
{
	say("\"event\": \"refused\"");
	say_text("what", what);
	say_text("why", why);
	say_end();
	power_off();
}

/* ---- small files ---- */

static ssize_t slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	size_t done = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -1;
	while (done < size - 1 && (got = read(fd, text + done, size - 1 - done)) > 0)
		done += (size_t)got;
	close(fd);
	text[done] = '\0';
	return got < 0 ? -1 : (ssize_t)done;
}

static int spill(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool fine;

	if (fd < 0)
		return -1;
	fine = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	return close(fd) || !fine ? -1 : 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * second + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
	struct timespec left = { .tv_sec = ns / second, .tv_nsec = ns % second };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

#endif
