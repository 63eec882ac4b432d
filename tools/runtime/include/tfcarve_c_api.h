// The C interface of a carved TensorFlow library: loads a frozen graph, runs it
// and reads its outputs. An app that uses it needs neither C++ nor protocol
// buffers.
//
//   #include <stdio.h>
//
//   #include "tfcarve_c_api.h"
//
//   int main(void) {
//     tfcarve_session* session =
//         tfcarve_session_new_from_file("model.pb", NULL);
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
//     tfcarve_result* result =
//         tfcarve_session_run(session, &x, 1, &output, 1, NULL);
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
// Ownership: the caller frees each session, result, pool of threads and
// cancellation. Texts and views that a function returns belong to its argument
// and are valid until the argument is freed.
//
// Threads: several threads may run the same session at the same time, and read
// the same result. No other thread may use an object while it is freed. Two
// things are shared by all sessions of a process: the instruction set
// (tfcarve_set_cpu) and the log (tfcarve_set_log).
//
// Errors: a session or a result is never NULL; ask it for its status. A NULL
// argument is an error with the status TFCARVE_INVALID_ARGUMENT, and never ends
// the process. The functions that free an object ignore NULL.
//
// Memory: if a tensor of a run is too large, or there is no memory left for it,
// the run fails with a status. The library is compiled without exceptions: if
// there is no memory left for anything else (the graph, messages, the text of
// strings), or if TensorFlow finds an error in itself, the process ends
// (SIGABRT).
//
// Versions: a library can be used with a header of the same major version and
// the same or a lower minor version. Options are structures that begin with
// their size, so later versions can add members at their end.
//
// C++: tfcarve.hpp has classes that free sessions, results and other objects.

#ifndef TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_C_API_H_
#define TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_C_API_H_

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

// The version of this interface: 100 times the major version, plus the minor
// version.
#define TFCARVE_API_VERSION 100

// Returns the TFCARVE_API_VERSION of the library. May be called from any
// thread.
TFCARVE_EXPORT int32_t tfcarve_api_version(void);

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

// The outcome of a call: the codes of TensorFlow's Status.
typedef enum tfcarve_status {
  TFCARVE_OK = 0,
  TFCARVE_CANCELLED = 1,  // by tfcarve_cancel
  TFCARVE_UNKNOWN = 2,
  // Not a graph, a malformed tensor, shapes that do not match, …
  TFCARVE_INVALID_ARGUMENT = 3,
  TFCARVE_DEADLINE_EXCEEDED = 4,  // timeout_ms has passed
  TFCARVE_NOT_FOUND = 5,          // no such file, table or variable
  TFCARVE_ALREADY_EXISTS = 6,
  TFCARVE_PERMISSION_DENIED = 7,
  TFCARVE_RESOURCE_EXHAUSTED = 8,   // no memory left, or memory_limit reached
  TFCARVE_FAILED_PRECONDITION = 9,  // a variable or table has no value, …
  TFCARVE_ABORTED = 10,             // tfcarve_reader could not read
  TFCARVE_OUT_OF_RANGE = 11,
  TFCARVE_UNIMPLEMENTED = 12,  // the library lacks ops or kernels
  TFCARVE_INTERNAL = 13,
  TFCARVE_UNAVAILABLE = 14,
  TFCARVE_DATA_LOSS = 15,  // the model's file has changed
  TFCARVE_UNAUTHENTICATED = 16
} tfcarve_status;

// Returns TensorFlow's name of a status: "INVALID_ARGUMENT"; "" if there is no
// such status. The text is static. May be called from any thread.
TFCARVE_EXPORT const char* tfcarve_status_name(int32_t status);

// An element of a tensor of strings. Not necessarily null-terminated.
typedef struct tfcarve_string {
  const char* data;
  size_t size;  // in bytes
} tfcarve_string;

// A view of a tensor. It does not own the memory that it points to.
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

// Threads that compute ops, for several sessions.
typedef struct tfcarve_threads tfcarve_threads;

// Creates a pool of threads, which start when they are first needed.
//
// - count: the number of threads that compute an op, including the thread that
//   calls tfcarve_session_run: 1 to 1024, or 0 for one per core.
//
// Returns a pool that the caller must free, or NULL if `count` is invalid.
TFCARVE_EXPORT tfcarve_threads* tfcarve_threads_new(int32_t count);

// Frees a pool. Sessions that use it keep its threads until they are freed.
TFCARVE_EXPORT void tfcarve_threads_free(tfcarve_threads*);

// How a session runs. Initialize it with TFCARVE_SESSION_OPTIONS_INIT, then set
// members.
typedef struct tfcarve_session_options {
  size_t struct_size;  // sizeof(tfcarve_session_options)
  // The number of threads that compute an op, including the thread that calls
  // tfcarve_session_run: 1 to 1024, or 0 for one per core. They belong to the
  // session and start when they are first needed.
  int32_t threads;
  // The threads of several sessions, instead of threads of its own; `threads`
  // must then be 0. NULL: not shared.
  tfcarve_threads* shared_threads;
  // The most memory, in bytes, that tensors which the session's kernels
  // allocate may take at any time, outputs included. A run that needs more
  // fails with TFCARVE_RESOURCE_EXHAUSTED. Constants, inputs, the text of
  // strings and other memory of kernels do not count. 0: no limit.
  size_t memory_limit;
} tfcarve_session_options;

#define TFCARVE_SESSION_OPTIONS_INIT \
  {sizeof(tfcarve_session_options), 0, NULL, 0}

// Creates a session for a serialized GraphDef.
//
// - graph_def: the content of a frozen .pb file. Not used after the call.
// - size: of `graph_def`, in bytes.
// - options: NULL for the defaults. Not used after the call.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new(
    const void* graph_def, size_t size, const tfcarve_session_options* options);

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
// - options: NULL for the defaults. Not used after the call.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new_from_file(
    const char* path, const tfcarve_session_options* options);

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
// is TFCARVE_ABORTED.
//
// While it is loaded, the whole model is in memory. The session keeps this
// memory if it uses constants in place. Constants at multiples of 64 bytes of
// the model are used in place, others are copied.
//
// - reader: of the model. Not used after the call.
// - options: NULL for the defaults. Not used after the call.
//
// Returns a session that the caller must free, never NULL. Check
// tfcarve_session_error before using it.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new_from_reader(
    const tfcarve_reader* reader, const tfcarve_session_options* options);

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

// Returns the name of the node that the error is about, or NULL if there is no
// error or it is not about one node. The text belongs to the session.
TFCARVE_EXPORT const char* tfcarve_session_error_node(const tfcarve_session*);

// A tensor's name, type and shape as declared in the graph.
typedef struct tfcarve_tensor_info {
  const char* name;     // "x", or "x:1" for the second output of the node "x"
  int32_t dtype;        // a tfcarve_dtype, or 0 if the graph does not say it
  int32_t rank;         // -1 if the graph does not say it
  const int64_t* dims;  // `rank` sizes; -1: any size
} tfcarve_tensor_info;

// Returns the number of inputs of the graph: its nodes of ops Placeholder and
// PlaceholderWithDefault; 0 if the session has an error.
TFCARVE_EXPORT size_t tfcarve_session_input_count(const tfcarve_session*);

// Sets `*info` to an input. Its pointers belong to the session.
//
// - index: of the input, in the order of the nodes in the graph.
//
// Returns 0, or 1 if there is no such input; `*info` is then unchanged.
TFCARVE_EXPORT int32_t tfcarve_session_input(const tfcarve_session*,
                                             size_t index,
                                             tfcarve_tensor_info* info);

// Returns the number of outputs of the graph: the outputs of the nodes that no
// other node uses; 0 if the session has an error. Other tensors can be computed
// too.
TFCARVE_EXPORT size_t tfcarve_session_output_count(const tfcarve_session*);

// Sets `*info` to an output. Its pointers belong to the session.
//
// - index: of the output, in the order of the nodes in the graph.
//
// Returns 0, or 1 if there is no such output; `*info` is then unchanged.
TFCARVE_EXPORT int32_t tfcarve_session_output(const tfcarve_session*,
                                              size_t index,
                                              tfcarve_tensor_info* info);

// Frees a session. Results of its runs stay valid. NULL is ignored.
TFCARVE_EXPORT void tfcarve_session_free(tfcarve_session*);

// Stops runs from another thread.
typedef struct tfcarve_cancellation tfcarve_cancellation;

// Returns a cancellation that the caller must free. It can be used for several
// runs, one after the other or at the same time.
TFCARVE_EXPORT tfcarve_cancellation* tfcarve_cancellation_new(void);

// Stops all runs that have this cancellation, also runs that begin later: they
// end before their next op, with the status TFCARVE_CANCELLED. May be called
// from any thread.
TFCARVE_EXPORT void tfcarve_cancel(tfcarve_cancellation*);

// Frees a cancellation that no run uses. NULL is ignored.
TFCARVE_EXPORT void tfcarve_cancellation_free(tfcarve_cancellation*);

// The memory for an output.
typedef struct tfcarve_buffer {
  void* data;   // NULL: the result has memory of its own
  size_t size;  // in bytes
} tfcarve_buffer;

// How to run a graph. Initialize it with TFCARVE_RUN_OPTIONS_INIT, then set
// members.
typedef struct tfcarve_run_options {
  size_t struct_size;  // sizeof(tfcarve_run_options)
  // Milliseconds after which the run ends, before its next op, with the status
  // TFCARVE_DEADLINE_EXCEEDED. 0: no limit.
  int64_t timeout_ms;
  // Stops the run; NULL: nothing does.
  tfcarve_cancellation* cancellation;
  // 1: record each execution of a node, for tfcarve_result_trace_get. Recording
  // takes time itself.
  int32_t trace;
  // The memory into which outputs are copied, one for each output; NULL: the
  // result has memory of its own. A run with an output that is larger than its
  // buffer fails with the status TFCARVE_OUT_OF_RANGE. Outputs of strings
  // cannot have a buffer. The memory must be valid until the result is freed.
  const tfcarve_buffer* output_buffers;
} tfcarve_run_options;

#define TFCARVE_RUN_OPTIONS_INIT {sizeof(tfcarve_run_options), 0, NULL, 0, NULL}

// Runs the graph once. May be called from several threads at the same time.
//
// - inputs: the tensors to feed, `input_count` of them. Not used after the
// call.
//   Elements at a multiple of 64 bytes in memory are used in place if the graph
//   keeps no state (variables, tables, queues); others are copied. Other
//   threads must not change them during the call.
// - output_names: the tensors to compute, `output_count` of them: "y" or "y:1".
//   Not used after the call.
// - options: NULL for the defaults. Not used after the call.
//
// Returns a result that the caller must free, never NULL. Check
// tfcarve_result_error before using it. A session with an error gives a result
// with the session's error.
TFCARVE_EXPORT tfcarve_result* tfcarve_session_run(
    tfcarve_session*, const tfcarve_tensor* inputs, size_t input_count,
    const char* const* output_names, size_t output_count,
    const tfcarve_run_options* options);

// Returns the reason why the run failed, or NULL if it succeeded. The text
// belongs to the result.
TFCARVE_EXPORT const char* tfcarve_result_error(const tfcarve_result*);

// Returns the tfcarve_status of the run.
TFCARVE_EXPORT int32_t tfcarve_result_status(const tfcarve_result*);

// Returns the name of the node that the error is about, or NULL if there is no
// error or it is not about one node. The text belongs to the result.
TFCARVE_EXPORT const char* tfcarve_result_error_node(const tfcarve_result*);

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

// An execution of a node in a traced run. The time of a node that calls a
// function includes the times of the function's nodes.
typedef struct tfcarve_node_trace {
  const char* node;         // its name
  const char* op;           // its op type: "Conv2D"
  const char* inputs;       // of its NodeDef: "x, filter:0, ^init"
  int64_t start_ns;         // since the first execution of the run
  int64_t duration_ns;      // of its kernel
  int64_t allocated_bytes;  // by its kernel
  size_t output_count;
  const tfcarve_tensor* outputs;  // types and shapes, without names and
                                  // elements; the type is 0 if the output was
                                  // not computed
} tfcarve_node_trace;

// Returns the number of recorded executions; 0 if the run was not traced or
// failed.
TFCARVE_EXPORT size_t tfcarve_result_trace_count(const tfcarve_result*);

// Sets `*trace` to a recorded execution. Its pointers are valid until the
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
// file (tools/runtime/shims/registration_table.h describes the records), and
// sets `*size` to its size in bytes. Returns NULL and sets 0 if the library was
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

// Receives a message of TensorFlow: its severity (0 information, 1 warning, 2
// error, 3 fatal: TensorFlow has found an error in itself, and the process ends
// after the call) and its text, which is valid during the call. May be called
// from any thread, and must not call functions of this interface.
typedef void (*tfcarve_log_sink)(void* context, int32_t severity,
                                 const char* message);

// Sends the messages of all sessions of the process to a function, instead of
// the standard error stream.
//
// - sink: NULL for the standard error stream.
// - context: the first argument of each call of `sink`.
// - level: the lowest severity to send, 0 to 4; 4 sends nothing.
//
// Returns 0, or 1 if `level` is invalid or the library is built without log
// messages (`log_messages = False`). May be called from any thread.
TFCARVE_EXPORT int32_t tfcarve_set_log(tfcarve_log_sink sink, void* context,
                                       int32_t level);

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

#endif  // TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_C_API_H_
