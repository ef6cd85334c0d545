/*
 * Description: memory that a plugin cannot go on without.
 */
#ifndef KDELTA_MEMORY_H
#define KDELTA_MEMORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("kdelta profile plugin: out of memory\n", stderr);
	abort();
}

/* Fibonacci hashing: the upper `bits` of the product with 2^64 by the golden ratio. */
static inline uint64_t bucket_of(uint64_t key, int bits)
{
	return (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits);
}

#endif
