/*
 * Description: the plugin's shadow stacks on their own, told what to do on standard input, a line each:
 *
 *   call CPU SITE ADDRESS   a call from the block at SITE wrote its return address to ADDRESS
 *   ret CPU ADDRESS         a return read one there
 *   in CPU                  print the chain that the CPU is in: its sites, the outermost first, or "-"
 *   what BYTE...            print what the instruction of these bytes is: 0 neither, 1 a call, 2 a return
 *
 * Numbers are hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plugin/calls.h"

static void print_sites(const struct chain *chain)
{
	if (chain == &root)
		return;
	print_sites(chain->outer);
	printf(" %" PRIx64, chain->site);
}

static void print_what(const char *words)
{
	unsigned char bytes[15];
	size_t size = 0;
	int used;

	for (unsigned int byte; sscanf(words, "%x%n", &byte, &used) == 1 && size < sizeof(bytes); words += used)
		bytes[size++] = (unsigned char)byte;
	printf("%d\n", transfer_of(bytes, size));
}

int main(void)
{
	static struct chain *last[256];
	char line[256];
	unsigned int cpu;
	uint64_t site, address;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "call %x %" SCNx64 " %" SCNx64, &cpu, &site, &address) == 3)
			called(cpu, site, &last[site % 256], address);
		else if (sscanf(line, "ret %x %" SCNx64, &cpu, &address) == 2)
			returned(cpu, address);
		else if (sscanf(line, "in %x", &cpu) == 1) {
			print_sites(chain_of(cpu));
			puts("");
		} else if (!strncmp(line, "what ", 5))
			print_what(line + 5);
		else
			return 2;
	}
	return 0;
}
