/*
 * Description: the exact profile, a QEMU TCG plugin that counts the instructions of every translated block that executes
 * between two markers (../marker.h).
 *
 * Arguments: out=PATH. The file's lines, in the order of the guest's execution:
 *
 *   window PROGRAM ITERATION   counts of one timed loop follow: the ITERATION-th of the PROGRAM-th program, both from 0
 *   user COUNT                 instructions at user addresses
 *   ADDRESS COUNT              instructions of the kernel blocks that start at ADDRESS (hexadecimal, ascending)
 *   end TOTAL                  the sum of the lines above; a window without it was cut off
 *
 * The plugin only reads; the guest cannot see it, so measured values are the same to the last digit with and without it.
 * QEMU does not translate in parallel here (thread=single), hence no locks.
 *
 * Plugin API: the header is not packaged by Debian, so the declarations needed stand here. KDELTA_PLUGIN_API is the number
 * of the API built for: 1 (QEMU 4.2 to 8.2), 2 (9.0), 3 and up (9.1, which made qemu_plugin_insn_data() copy).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../marker.h"

#ifndef KDELTA_PLUGIN_API
#error "build with -DKDELTA_PLUGIN_API=1, 2 or 3"
#endif

/* ---- QEMU's side ---- */

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;	/* not read */
enum { QEMU_PLUGIN_CB_NO_REGS };

typedef void (*tb_translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*executed)(unsigned int vcpu, void *cookie);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_translated callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, executed callback, int flags, void *cookie);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#if KDELTA_PLUGIN_API == 1
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation, void *counter, uint64_t add);
#else
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, executed callback, int flags, void *cookie);
#endif

#if KDELTA_PLUGIN_API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *copy, size_t size);
#endif

EXPORT int qemu_plugin_version = KDELTA_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

/* ---- counters ---- */

/* A block at one address can be translated with different lengths; each has a counter of its own, added up when written. */
struct block {
	uint64_t address, length;
	uint64_t count;
	struct block *next;	/* in its bucket */
};

enum { BUCKETS = 1 << 17 };
static const uint64_t FIRST_KERNEL_ADDRESS = UINT64_C(1) << 63;

static struct block *buckets[BUCKETS];
static struct block **blocks;	/* all of them, for resetting and writing */
static size_t block_count, block_room;
static struct block user;

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("kdelta profile plugin: out of memory\n", stderr);
	abort();
}

static struct block *block_at(uint64_t address, uint64_t length)
{
	struct block **bucket = &buckets[((address ^ length) * UINT64_C(0x9e3779b97f4a7c15)) >> 47];
	struct block *block = *bucket;

	while (block && (block->address != address || block->length != length))
		block = block->next;
	if (block)
		return block;
	if (block_count == block_room) {
		block_room = block_room ? 2 * block_room : 4096;
		blocks = must(realloc(blocks, block_room * sizeof(*blocks)));
	}
	block = must(calloc(1, sizeof(*block)));
	*block = (struct block){ .address = address, .length = length, .next = *bucket };
	*bucket = blocks[block_count++] = block;
	return block;
}

/* ---- windows ---- */

static FILE *out;
static int program = -1, iteration;
static bool open_window;

static int by_address(const void *left, const void *right)
{
	const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;

	return a->address != b->address ? (a->address > b->address) - (a->address < b->address)
					: (a->length > b->length) - (a->length < b->length);
}

static void window_begin(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	(void)cookie;
	user.count = 0;
	for (size_t i = 0; i < block_count; i++)
		blocks[i]->count = 0;
	open_window = true;
}

static void write_blocks(void)
{
	uint64_t total = user.count;

	qsort(blocks, block_count, sizeof(*blocks), by_address);
	fprintf(out, "window %d %d\nuser %" PRIu64 "\n", program, iteration, user.count);
	for (size_t i = 0; i < block_count;) {
		uint64_t address = blocks[i]->address, count = 0;

		for (; i < block_count && blocks[i]->address == address; i++)
			count += blocks[i]->count;
		if (count)
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
	write_blocks();
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

static executed marker_of(const struct qemu_plugin_insn *insn)
{
	static const unsigned char marker[] = { MARK_BYTES(0) };
	unsigned char bytes[sizeof(marker)];
	unsigned char id;

	if (qemu_plugin_insn_size(insn) != sizeof(marker))
		return NULL;
#if KDELTA_PLUGIN_API < 3
	memcpy(bytes, qemu_plugin_insn_data(insn), sizeof(bytes));
#else
	if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
		return NULL;
#endif
	id = bytes[4];
	bytes[4] = 0;
	if (memcmp(bytes, marker, sizeof(marker)) || id >= sizeof(on_marker) / sizeof(on_marker[0]))
		return NULL;
	return on_marker[id];
}

#if KDELTA_PLUGIN_API == 1
static void count_block(struct qemu_plugin_tb *tb, struct block *block, size_t length)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->count, length);
}
#else
/* API 2 gave inline counters to each CPU of the guest separately; a callback needs no more than the block. */
static void block_executed(unsigned int vcpu, void *cookie)
{
	struct block *block = cookie;

	(void)vcpu;
	block->count += block->length;
}

static void user_block_executed(unsigned int vcpu, void *cookie)
{
	(void)vcpu;
	user.count += (uintptr_t)cookie;
}

static void count_block(struct qemu_plugin_tb *tb, struct block *block, size_t length)
{
	if (block == &user)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, user_block_executed, QEMU_PLUGIN_CB_NO_REGS, (void *)length);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_executed, QEMU_PLUGIN_CB_NO_REGS, block);
}
#endif

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t length = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	bool in_kernel = address >= FIRST_KERNEL_ADDRESS;

	(void)id;
	count_block(tb, in_kernel ? block_at(address, length) : &user, length);
	for (size_t i = 0; !in_kernel && i < length; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		executed on_execution = marker_of(insn);

		if (on_execution)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_execution, QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "we");
	if (!out) {
		fputs("kdelta profile plugin: out=PATH is needed, and must be writable\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
