// The C interface of a carved TensorFlow library: loads a frozen graph, runs it
// and reads its outputs. An app that uses it needs neither C++ nor protocol
// buffers.
//
//   #include <stdio.h>
//
//   #include "tfcarve_c_api.h"
//
//   int main(void) {
//     tfcarve_session* session = tfcarve_session_new_from_file("model.pb", 0);
//     if (tfcarve_session_error(session) != NULL) {
//       fprintf(stderr, "%s\n", tfcarve_session_error(session));
//       tfcarve_session_free(session);
//       return 1;
//     }
//
//     const int64_t dims[] = {1, 3};
//     const float values[] = {0.f, 1.f, 2.f};
//     const tfcarve_tensor x = {"x",  TFCARVE_FLOAT, 2,
//                               dims, values,        sizeof(values)};
//     const char* const output = "y";
//     tfcarve_result* result = tfcarve_session_run(session, &x, 1, &output, 1);
//     tfcarve_tensor y;
//     if (tfcarve_result_error(result) != NULL) {
//       fprintf(stderr, "%s\n", tfcarve_result_error(result));
//     } else if (tfcarve_result_get(result, 0, &y) == 0) {
//       printf("%f\n", ((const float*)y.data)[0]);
//     }
//     tfcarve_result_free(result);
//     tfcarve_session_free(session);
//     return 0;
//   }
//
// Ownership: the caller frees each session and each result. Texts and views
// that a function returns belong to its argument and are valid until that is
// freed.
//
// Threads: several threads may run the same session at the same time, and read
// the same result. No other thread may use a session or a result while it is
// freed. The only state that is shared by sessions is the instruction set
// (tfcarve_set_cpu).

#ifndef TFCARVE_TOOLS_RUNTIME_TFCARVE_C_API_H_
#define TFCARVE_TOOLS_RUNTIME_TFCARVE_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TFCARVE_EXPORT
#else
#define TFCARVE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The type of a tensor's elements: the numbers of TensorFlow's DataType.
typedef enum tfcarve_dtype {
  TFCARVE_FLOAT = 1,
  TFCARVE_DOUBLE = 2,
  TFCARVE_INT32 = 3,
  TFCARVE_UINT8 = 4,
  TFCARVE_INT16 = 5,
  TFCARVE_INT8 = 6,
  TFCARVE_STRING = 7,
  TFCARVE_COMPLEX64 = 8,
  TFCARVE_INT64 = 9,
  TFCARVE_BOOL = 10,
  TFCARVE_BFLOAT16 = 14,
  TFCARVE_UINT16 = 17,
  TFCARVE_COMPLEX128 = 18,
  TFCARVE_HALF = 19,
  TFCARVE_UINT32 = 22,
  TFCARVE_UINT64 = 23
} tfcarve_dtype;

// The outcome of a call.
typedef enum tfcarve_status {
  TFCARVE_OK = 0,
  // TensorFlow cannot do it: the library does not contain an op or a kernel,
  // shapes do not match, …
  TFCARVE_REFUSED = 1,
  // An argument is invalid: not a graph, a malformed tensor, …
  TFCARVE_BAD_INPUT = 2
} tfcarve_status;

// An element of a tensor of strings. Not necessarily null-terminated.
typedef struct tfcarve_string {
  const char* data;
  size_t size;  // in bytes
} tfcarve_string;

// A view of a tensor. It does not own what it points to.
typedef struct tfcarve_tensor {
  const char* name;     // of the tensor in the graph: "x", or "x:1" for the
                        // second output of the node "x"
  int32_t dtype;        // a tfcarve_dtype
  int32_t rank;         // the number of dimensions; 0 for a scalar
  const int64_t* dims;  // `rank` sizes; may be NULL if `rank` is 0
  const void* data;     // the elements in row-major order; for TFCARVE_STRING
                        // an array of tfcarve_string
  size_t size;          // of `data`, in bytes
} tfcarve_tensor;

// A graph that is ready to run, or the reason why it could not be loaded.
typedef struct tfcarve_session tfcarve_session;

// The outputs of one run, or the reason why it failed.
typedef struct tfcarve_result tfcarve_result;

// Creates a session for a serialized GraphDef.
//
// - graph_def: the content of a frozen .pb file. Not used after the call.
// - size: of `graph_def`, in bytes.
// - threads: the number of threads that compute an op, including the thread
//   that calls tfcarve_session_run: 1 to 1024, or 0 for one per core. Each
//   session has its own threads, which start when they are first needed.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new(const void* graph_def,
                                                    size_t size,
                                                    int32_t threads);

// Creates a session for a file that contains a serialized GraphDef. The file is
// mapped into memory: constants that are at multiples of 64 bytes in it are
// used in place, others are copied. `tfcarve memmap` aligns the constants of a
// frozen graph. The file may be in TensorFlow's memmapped format if the library
// is carved for a model in this format.
//
// While the session exists, the file may be deleted or replaced, but must not
// be modified: further runs fail, and truncating it during a run ends the
// process (SIGBUS).
//
// - path: of the file, null-terminated. Not used after the call.
// - threads: as for tfcarve_session_new.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new_from_file(const char* path,
                                                              int32_t threads);

// A model that an app reads by itself: encrypted, compressed, from a server, …
typedef struct tfcarve_reader {
  // The first argument of each call of `read`.
  void* context;
  // The size of the model, in bytes.
  size_t size;
  // Reads the `size` bytes at `offset` of the model into `buffer`. Returns
  // NULL, or the reason why it can't: a null-terminated text, which is copied
  // before tfcarve_session_new_from_reader returns.
  const char* (*read)(void* context, size_t offset, void* buffer, size_t size);
} tfcarve_reader;

// Creates a session for a serialized GraphDef that the app reads, for example
// because its file is encrypted. Nothing is written to a file.
//
// The model is read from its start to its end, each byte once, in parts of at
// most 1 MiB, by the caller's thread. It is interpreted only when all of it has
// been read: if a call of `read` fails, no further call follows, and the status
// is TFCARVE_BAD_INPUT.
//
// While it is loaded, the whole model is in memory. The session keeps this
// memory if constants are used in place, which are those at multiples of 64
// bytes of the model. Others are copied.
//
// - reader: of the model. Not used after the call.
// - threads: as for tfcarve_session_new.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new_from_reader(
    const tfcarve_reader* reader, int32_t threads);

// Returns the number of bytes of constants that are used in place in the mapped
// file or in the memory of a model that the app reads; 0 for other sessions.
TFCARVE_EXPORT size_t tfcarve_session_mapped_bytes(const tfcarve_session*);

// Returns the reason why the session cannot be used, or NULL if it can. The
// text belongs to the session. If the graph needs ops or kernels that the
// library does not contain, the text lists all of them with the nodes that need
// them, one per line.
TFCARVE_EXPORT const char* tfcarve_session_error(const tfcarve_session*);

// Returns the tfcarve_status of creating the session.
TFCARVE_EXPORT int32_t tfcarve_session_status(const tfcarve_session*);

// Frees a session. Results of its runs stay valid. NULL is ignored.
TFCARVE_EXPORT void tfcarve_session_free(tfcarve_session*);

// Runs the graph once. May be called from several threads at the same time.
//
// - inputs: the tensors to feed, `input_count` of them. Their elements are
//   copied; nothing is used after the call.
// - output_names: the tensors to compute, `output_count` of them: "y" or "y:1".
//   Not used after the call.
//
// Returns a result that the caller must free, never NULL. Check
// tfcarve_result_error before using it. A session with an error gives a result
// with the same error.
TFCARVE_EXPORT tfcarve_result* tfcarve_session_run(
    tfcarve_session*, const tfcarve_tensor* inputs, size_t input_count,
    const char* const* output_names, size_t output_count);

// Returns the reason why the run failed, or NULL if it succeeded. The text
// belongs to the result.
TFCARVE_EXPORT const char* tfcarve_result_error(const tfcarve_result*);

// Returns the tfcarve_status of the run.
TFCARVE_EXPORT int32_t tfcarve_result_status(const tfcarve_result*);

// Returns the number of outputs; 0 if the run failed.
TFCARVE_EXPORT size_t tfcarve_result_count(const tfcarve_result*);

// Sets `*output` to a view of an output. The view is valid until the result is
// freed.
//
// - index: of the output, in the order of `output_names`.
//
// Returns 0, or 1 if there is no such output; `*output` is then unchanged.
TFCARVE_EXPORT int32_t tfcarve_result_get(const tfcarve_result*, size_t index,
                                          tfcarve_tensor* output);

// An execution of a node in a traced run.
typedef struct tfcarve_node_trace {
  const char* node;         // its name
  const char* op;           // its op type: "Conv2D"
  const char* inputs;       // as in its NodeDef: "x, filter:0, ^init"
  int64_t start_ns;         // since the first execution of the run
  int64_t duration_ns;      // of its kernel
  int64_t allocated_bytes;  // by its kernel
  size_t output_count;
  const tfcarve_tensor* outputs;  // types and shapes, without names and
                                  // elements; the type is 0 if the output was
                                  // not computed
} tfcarve_node_trace;

// Runs the graph like tfcarve_session_run, and records each execution of a
// node. For profiling: recording takes time itself. The time of a node that
// calls a function includes the times of the function's nodes.
TFCARVE_EXPORT tfcarve_result* tfcarve_session_run_traced(
    tfcarve_session*, const tfcarve_tensor* inputs, size_t input_count,
    const char* const* output_names, size_t output_count);

// Returns the number of recorded executions; 0 if the run was not traced or
// failed.
TFCARVE_EXPORT size_t tfcarve_result_trace_count(const tfcarve_result*);

// Sets `*trace` to a recorded execution. What it points to is valid until the
// result is freed.
//
// - index: of the execution, in the order in which they ended.
//
// Returns 0, or 1 if there is no such record; `*trace` is then unchanged.
TFCARVE_EXPORT int32_t tfcarve_result_trace_get(const tfcarve_result*,
                                                size_t index,
                                                tfcarve_node_trace* trace);

// Frees a result and invalidates all views of it. NULL is ignored.
TFCARVE_EXPORT void tfcarve_result_free(tfcarve_result*);

// Returns a description of the library as JSON text: the versions of tfcarve
// and TensorFlow, the defines, the models with their SHA-256, and the ops. The
// text is static. May be called from any thread.
TFCARVE_EXPORT const char* tfcarve_manifest(void);

// Returns the table of the library's registrations, as it is in the library's
// file (tools/runtime/registration_table.h describes the records), and sets
// `*size` to its size in bytes. Returns NULL and sets 0 if the library was
// built without the table. The table is static. May be called from any thread.
TFCARVE_EXPORT const char* tfcarve_registrations(size_t* size);

// Returns the name of the instruction set that products, convolutions and other
// float kernels use: "baseline", "avx2" or "avx512" on x86, "neon" on Arm. By
// default it is the best one that the CPU supports; the environment variable
// TFCARVE_CPU overrides it. The text is static. May be called from any thread.
TFCARVE_EXPORT const char* tfcarve_cpu(void);

// Selects the instruction set for all sessions of the process.
//
// - name: as returned by tfcarve_cpu, or "" for the best one.
//
// Returns 0, or 1 if the library does not have it or the CPU does not support
// it; the selection is then unchanged. May be called from any thread; a run in
// progress may use either instruction set.
TFCARVE_EXPORT int32_t tfcarve_set_cpu(const char* name);

// Returns the number of kernels that the library has registered. 0 means that
// the linker dropped the objects that register them. May be called from any
// thread.
TFCARVE_EXPORT size_t tfcarve_kernel_count(void);

// Returns 1 if the library has registered the op of this name, 0 otherwise. May
// be called from any thread.
TFCARVE_EXPORT int32_t tfcarve_has_op(const char* op);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFCARVE_TOOLS_RUNTIME_TFCARVE_C_API_H_
