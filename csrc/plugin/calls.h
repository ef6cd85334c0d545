/*
 * Description: which calls the kernel is in: a copy of each kernel stack's return addresses, and the tree of call chains.
 *
 * A plugin of API 1 cannot read registers, but it is told where in memory an instruction reads and writes: a call writes its
 * return address to the stack, a return reads it from there. That place says which stack it is, and everything below it has
 * ended. So switches of tasks, interrupts, and returns that were never called (the first one of a new task, retpolines)
 * need no care of their own.
 */
#ifndef KDELTA_CALLS_H
#define KDELTA_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory.h"

/*
 * THREAD_SIZE of x86-64 without KASAN is 16 KiB, aligned to itself (arch/x86/include/asm/page_64_types.h, since 3.15), and so are
 * the stacks of interrupts.
 */
enum { STACK_BITS = 14, MOST_CPUS = 256, CHAIN_BITS = 17, STACKS_BITS = 12 };

#ifndef MOST_CHAINS	/* a test has fewer */
#define MOST_CHAINS	(1 << 20)
#endif

/* A call chain: the block at `site` called, within the chain `outer`. The root has no site. */
struct chain {
	struct chain *outer, *next;	/* next: in its bucket */
	uint64_t site;
	size_t serial;	/* in the order in which they were met: an outer one has a smaller number */
	size_t number;	/* in the file, 0 until it is written */
};

struct frame {
	uint64_t at;	/* where its return address lies */
	struct chain *chain;
};

/* The deepest frame is the last one. */
struct stack {
	uint64_t key;
	struct frame *frames;
	size_t depth, room;
	struct stack *next;	/* in its bucket */
};

static struct chain root;
static struct chain *chains[1 << CHAIN_BITS];
static size_t chain_count = 1;
static struct stack *stacks[1 << STACKS_BITS];

/* By CPU of the guest: the chain that it is in; NULL is the root. */
static struct chain *current[MOST_CPUS];

static inline struct chain *chain_of(unsigned int vcpu)
{
	struct chain *chain = current[vcpu % MOST_CPUS];

	return chain ? chain : &root;
}

static struct chain *chain_in(struct chain *outer, uint64_t site)
{
	struct chain **bucket = &chains[bucket_of(site ^ (uintptr_t)outer, CHAIN_BITS)];
	struct chain *chain = *bucket;

	while (chain && (chain->outer != outer || chain->site != site))
		chain = chain->next;
	if (chain)
		return chain;
	/* Endless recursion of a broken guest must not eat the host: from here on chains are cut short. */
	if (chain_count == MOST_CHAINS)
		return outer;
	chain = must(calloc(1, sizeof(*chain)));
	*chain = (struct chain){ .outer = outer, .site = site, .next = *bucket, .serial = chain_count++ };
	return *bucket = chain;
}

static struct stack *stack_at(uint64_t address)
{
	static struct stack *last;
	uint64_t key = address >> STACK_BITS;
	struct stack **bucket = &stacks[bucket_of(key, STACKS_BITS)];

	if (last && last->key == key)
		return last;
	for (last = *bucket; last; last = last->next)
		if (last->key == key)
			return last;
	last = must(calloc(1, sizeof(*last)));
	*last = (struct stack){ .key = key, .next = *bucket };
	return *bucket = last;
}

/* The chain that `stack` is in when all below `address`, and what lies there, has ended. */
static struct chain *unwound(struct stack *stack, uint64_t address)
{
	while (stack->depth && stack->frames[stack->depth - 1].at <= address)
		stack->depth--;
	return stack->depth ? stack->frames[stack->depth - 1].chain : &root;
}

/* `last` is the chain of the last call from `site`, NULL at first: mostly it is that of this one too. */
static void called(unsigned int vcpu, uint64_t site, struct chain **last, uint64_t address)
{
	struct stack *stack = stack_at(address);
	struct chain *outer = unwound(stack, address), *chain = *last;

	if (!chain || chain->outer != outer || chain->site != site)
		chain = *last = chain_in(outer, site);
	if (stack->depth == stack->room) {
		stack->room = stack->room ? 2 * stack->room : 32;
		stack->frames = must(realloc(stack->frames, stack->room * sizeof(*stack->frames)));
	}
	stack->frames[stack->depth++] = (struct frame){ .at = address, .chain = chain };
	current[vcpu % MOST_CPUS] = chain;
}

static void returned(unsigned int vcpu, uint64_t address)
{
	current[vcpu % MOST_CPUS] = unwound(stack_at(address), address);
}

/* ---- what an instruction is ---- */

enum transfer { NEITHER, CALL, RETURN };

/* Of its `size` bytes: near calls (E8, FF /2) and returns (C2, C3), behind any prefixes. Intel's manual, volume 2. */
static enum transfer transfer_of(const unsigned char *bytes, size_t size)
{
	static const unsigned char prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };
	size_t at = 0;

	while (at < size && memchr(prefixes, bytes[at], sizeof(prefixes)))
		at++;
	if (at < size && bytes[at] >> 4 == 4)	/* REX */
		at++;
	if (at >= size)
		return NEITHER;
	if (bytes[at] == 0xc2 || bytes[at] == 0xc3)
		return RETURN;
	if (bytes[at] == 0xe8)
		return CALL;
	return bytes[at] == 0xff && at + 1 < size && (bytes[at + 1] >> 3 & 7) == 2 ? CALL : NEITHER;
}

#endif
