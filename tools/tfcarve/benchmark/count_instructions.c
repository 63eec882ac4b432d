/* A plugin for qemu-user that counts the instructions executed by all threads
 * of a program and writes "instructions: N" to qemu's log when the program
 * ends.
 *
 * No package contains qemu's plugin header, so this file declares the functions
 * that it uses. Source: docs/devel/tcg-plugins.rst and the API reference of
 * qemu 7.2.
 */

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(
    qemu_plugin_id_t id,
    void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb* block));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb* block,
    void (*callback)(unsigned int vcpu_index, void* data),
    enum qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                    void (*callback)(qemu_plugin_id_t id,
                                                     void* data),
                                    void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_outs(const char* text);

/* The version of the plugin API, which qemu checks when it loads the plugin. */
EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static uint64_t executed;

static void on_block_executed(unsigned int vcpu_index, void* data) {
  (void)vcpu_index;
  __atomic_fetch_add(&executed, (uintptr_t)data, __ATOMIC_RELAXED);
}

static void on_block_translated(qemu_plugin_id_t id,
                                struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_block_executed,
                                       QEMU_PLUGIN_CB_NO_REGS,
                                       (void*)qemu_plugin_tb_n_insns(block));
}

static void on_end(qemu_plugin_id_t id, void* data) {
  char text[64];
  (void)id;
  (void)data;
  snprintf(text, sizeof(text), "instructions: %" PRIu64 "\n",
           __atomic_load_n(&executed, __ATOMIC_RELAXED));
  qemu_plugin_outs(text);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int argc,
                               char** argv) {
  (void)info;
  (void)argc;
  (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_block_translated);
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
