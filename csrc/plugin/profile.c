/*
 * Description: the exact profile, a QEMU TCG plugin that counts the instructions of every translated block that executes
 * between two markers (../marker.h), each by the calls that it is in (calls.h).
 *
 * Arguments: out=PATH, and chains=off to count without the calls, in a fifth less time. The file's lines, in the order of the
 * guest's execution:
 *
 *   window PROGRAM ITERATION   counts of one timed loop follow: the ITERATION-th of the PROGRAM-th program, both from 0
 *   user COUNT                 instructions at user addresses
 *   chain NUMBER OUTER SITE    a call chain, from here to the end of the file: the block at SITE called, within the chain OUTER
 *   in NUMBER                  what follows was executed in that chain; 0 is the empty one, and every window begins there
 *   ADDRESS COUNT              instructions of the kernel blocks that start at ADDRESS (ascending within a chain)
 *   end TOTAL                  the sum of the window's counts; a window without it was cut off
 *
 * ADDRESS and SITE are hexadecimal. The plugin only reads; the guest cannot see it, so measured values are the same to the last
 * digit with and without it. QEMU does not translate in parallel here (thread=single), hence no locks.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../marker.h"
#include "calls.h"
#include "memory.h"
#include "qemu.h"

static const uint64_t FIRST_KERNEL_ADDRESS = UINT64_C(1) << 63;

/* ---- counters ---- */

/* A block at one address can be translated with different lengths; each has counters of its own, added up when written. */
struct block {
	uint64_t address, length;
	struct count *last;	/* the one used last: mostly the next one too */
	struct chain *call;	/* of the last call that it made */
	uint64_t times;	/* executed in this window, where chains are not asked for */
	struct block *next;	/* in its bucket */
};

/* How often `block` was executed in `chain` in this window. */
struct count {
	struct block *block;
	struct chain *chain;
	uint64_t times;
	struct count *next;	/* in its bucket */
};

enum { BLOCK_BITS = 17, COUNT_BITS = 18 };

static bool by_chain = true;
static struct block *buckets[1 << BLOCK_BITS];
static struct block **blocks;	/* all of them */
static size_t block_count;
static struct count *counts[1 << COUNT_BITS];
static struct count **counted;	/* those that are not 0 */
static size_t counted_count;
static uint64_t user;

/* An array of `count` pointers with room for one more: grown where `count` is 0, or a power of two from 64 on. */
static void *room_for_one(void *array, size_t count)
{
	if (count && (count < 64 || count & (count - 1)))
		return array;
	return must(realloc(array, (count ? 2 * count : 64) * sizeof(void *)));
}

static struct block *block_at(uint64_t address, uint64_t length)
{
	struct block **bucket = &buckets[bucket_of(address ^ length, BLOCK_BITS)];
	struct block *block = *bucket;

	while (block && (block->address != address || block->length != length))
		block = block->next;
	if (block)
		return block;
	block = must(calloc(1, sizeof(*block)));
	*block = (struct block){ .address = address, .length = length, .next = *bucket };
	blocks = room_for_one(blocks, block_count);
	blocks[block_count++] = block;
	return *bucket = block;
}

static struct count *count_in(struct block *block, struct chain *chain)
{
	struct count **bucket = &counts[bucket_of((uintptr_t)block ^ (uintptr_t)chain << 8, COUNT_BITS)];
	struct count *count = *bucket;

	while (count && (count->block != block || count->chain != chain))
		count = count->next;
	if (count)
		return count;
	count = must(calloc(1, sizeof(*count)));
	*count = (struct count){ .block = block, .chain = chain, .next = *bucket };
	return *bucket = count;
}

static void count_times(struct block *block, struct chain *chain, uint64_t times)
{
	if (!block->last || block->last->chain != chain)
		block->last = count_in(block, chain);
	block->last->times += times;
	if (block->last->times > times)
		return;
	counted = room_for_one(counted, counted_count);
	counted[counted_count++] = block->last;
}

/* ---- windows ---- */

static FILE *out;
static int program = -1, iteration;
static bool open_window;

static int by_chain_and_address(const void *left, const void *right)
{
	const struct count *a = *(struct count *const *)left, *b = *(struct count *const *)right;

	if (a->chain != b->chain)
		return a->chain->serial < b->chain->serial ? -1 : 1;
	if (a->block->address != b->block->address)
		return a->block->address < b->block->address ? -1 : 1;
	return (a->block->length > b->block->length) - (a->block->length < b->block->length);
}

static void window_begin(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	(void)cookie;
	user = 0;
	while (counted_count)
		counted[--counted_count]->times = 0;
	for (size_t i = 0; i < block_count; i++)
		blocks[i]->times = 0;
	open_window = true;
}

/* Outer chains first; each once in the file. */
static size_t write_chain(struct chain *chain)
{
	static size_t written;
	size_t outer;

	if (chain == &root || chain->number)
		return chain->number;
	outer = write_chain(chain->outer);
	chain->number = ++written;
	fprintf(out, "chain %zu %zu %" PRIx64 "\n", chain->number, outer, chain->site);
	return chain->number;
}

static void write_counts(void)
{
	const struct chain *in = &root;
	uint64_t total = user;

	for (size_t i = 0; i < block_count; i++)
		if (blocks[i]->times)
			count_times(blocks[i], &root, blocks[i]->times);
	qsort(counted, counted_count, sizeof(*counted), by_chain_and_address);
	fprintf(out, "window %d %d\nuser %" PRIu64 "\n", program, iteration, user);
	for (size_t i = 0; i < counted_count;) {
		struct chain *chain = counted[i]->chain;
		uint64_t address = counted[i]->block->address, count = 0;

		if (chain != in)
			fprintf(out, "in %zu\n", write_chain(chain));
		in = chain;
		for (; i < counted_count && counted[i]->chain == chain && counted[i]->block->address == address; i++)
			count += counted[i]->times * counted[i]->block->length;
		fprintf(out, "%" PRIx64 " %" PRIu64 "\n", address, count);
		total += count;
	}
	fprintf(out, "end %" PRIu64 "\n", total);
	fflush(out);
}

static void window_end(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	(void)cookie;
	if (!open_window)
		return;
	write_counts();
	open_window = false;
	iteration++;
}

static void program_next(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	(void)cookie;
	program++;
	iteration = 0;
	open_window = false;
}

static executed const on_marker[] = {
	[MARK_BEGIN] = window_begin, [MARK_END] = window_end, [MARK_PROGRAM] = program_next,
};

/* ---- translation ---- */

enum { MOST_BYTES = 15 };	/* of an instruction */

static size_t bytes_of(const struct qemu_plugin_insn *insn, unsigned char bytes[MOST_BYTES])
{
	size_t size = qemu_plugin_insn_size(insn);

	if (size > MOST_BYTES)
		return 0;
#if KDELTA_PLUGIN_API < 3
	memcpy(bytes, qemu_plugin_insn_data(insn), size);
	return size;
#else
	return qemu_plugin_insn_data(insn, bytes, size);
#endif
}

static executed marker_of(const struct qemu_plugin_insn *insn)
{
	static const unsigned char marker[] = { MARK_BYTES(0) };
	unsigned char bytes[MOST_BYTES];
	unsigned char id;

	if (bytes_of(insn, bytes) != sizeof(marker))
		return NULL;
	id = bytes[4];
	bytes[4] = 0;
	if (memcmp(bytes, marker, sizeof(marker)) || id >= sizeof(on_marker) / sizeof(on_marker[0]))
		return NULL;
	return on_marker[id];
}

/*
 * By CPU of the guest: the block whose call or return is still to come. QEMU before 8.0 goes on calling back for what helpers of
 * later instructions access (mended by "tcg: Clear plugin_mem_cbs on TB exit"); that is none of ours.
 */
static const struct block *expected[MOST_CPUS];

static void block_executed(unsigned int vcpu, void *cookie)
{
	expected[vcpu % MOST_CPUS] = cookie;
	if (open_window)
		count_times(cookie, chain_of(vcpu), 1);
}

static bool is_expected(unsigned int vcpu, const struct block *block)
{
	if (expected[vcpu % MOST_CPUS] != block)
		return false;
	expected[vcpu % MOST_CPUS] = NULL;
	return true;
}

/* A call through memory reads its target first. */
static void call_executed(unsigned int vcpu, uint32_t what, uint64_t address, void *cookie)
{
	struct block *block = cookie;

	if (qemu_plugin_mem_is_store(what) && is_expected(vcpu, block))
		called(vcpu, block->address, &block->call, address);
}

static void return_executed(unsigned int vcpu, uint32_t what, uint64_t address, void *cookie)
{
	(void)what;
	if (is_expected(vcpu, cookie))
		returned(vcpu, address);
}

/*
 * Calls and returns end a block. Asked for loads or for stores alone, QEMU 7.2 gives the wrong ones (op_rw() in plugin-gen.c adds
 * 1 to a number that counts from 1), so both are asked for.
 */
static void count_by_chain(struct qemu_plugin_tb *tb, struct block *block)
{
	static accessed const on_transfer[] = { [CALL] = call_executed, [RETURN] = return_executed };
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, block->length - 1);
	unsigned char bytes[MOST_BYTES];
	enum transfer transfer = transfer_of(bytes, bytes_of(last, bytes));

	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_executed, QEMU_PLUGIN_CB_NO_REGS, block);
	if (transfer != NEITHER)
		qemu_plugin_register_vcpu_mem_cb(last, on_transfer[transfer], QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, block);
}

#if KDELTA_PLUGIN_API == 1
static void count_alone(struct qemu_plugin_tb *tb, uint64_t *counter, size_t add)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, counter, add);
}
#else
/* API 2 gave inline counters to each CPU of the guest separately. */
static void user_block_executed(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	user += (uintptr_t)cookie;
}

static void kernel_block_executed(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	++*(uint64_t *)cookie;
}

static void count_alone(struct qemu_plugin_tb *tb, uint64_t *counter, size_t add)
{
	if (counter == &user)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, user_block_executed, QEMU_PLUGIN_CB_NO_REGS, (void *)add);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, kernel_block_executed, QEMU_PLUGIN_CB_NO_REGS, counter);
}
#endif

static void translated_in_kernel(struct qemu_plugin_tb *tb, size_t length)
{
	struct block *block = block_at(qemu_plugin_tb_vaddr(tb), length);

	if (by_chain)
		count_by_chain(tb, block);
	else
		count_alone(tb, &block->times, 1);
}

static void translated_in_user(struct qemu_plugin_tb *tb, size_t length)
{
	count_alone(tb, &user, length);
	for (size_t i = 0; i < length; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		executed on_execution = marker_of(insn);

		if (on_execution)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_execution, QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t length = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (qemu_plugin_tb_vaddr(tb) >= FIRST_KERNEL_ADDRESS)
		translated_in_kernel(tb, length);
	else
		translated_in_user(tb, length);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "we");
		if (!strcmp(argv[i], "chains=off"))
			by_chain = false;
	}
	if (!out) {
		fputs("kdelta profile plugin: out=PATH is needed, and must be writable\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
