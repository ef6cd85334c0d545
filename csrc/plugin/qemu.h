/*
 * Description: QEMU's side of the plugin. The header is not packaged by Debian, so the declarations needed stand here.
 *
 * KDELTA_PLUGIN_API is the number of the API built for: 1 (QEMU 4.2 to 8.2), 2 (9.0), 3 and up (9.1, which made
 * qemu_plugin_insn_data() copy).
 */
#ifndef KDELTA_QEMU_H
#define KDELTA_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef KDELTA_PLUGIN_API
#error "build with -DKDELTA_PLUGIN_API=1, 2 or 3"
#endif

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;	/* not read */
enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_MEM_RW = 3 };

typedef void (*tb_translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*executed)(unsigned int vcpu, void *cookie);
typedef void (*accessed)(unsigned int vcpu, uint32_t what, uint64_t address, void *cookie);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_translated callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, executed callback, int flags, void *cookie);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, accessed callback, int flags, int which, void *cookie);
bool qemu_plugin_mem_is_store(uint32_t what);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, executed callback, int flags, void *cookie);

#if KDELTA_PLUGIN_API == 1
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation, void *counter, uint64_t add);
#endif

#if KDELTA_PLUGIN_API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *copy, size_t size);
#endif

EXPORT int qemu_plugin_version = KDELTA_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

#endif
