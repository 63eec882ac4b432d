// A small C interface to a carved TensorFlow library, so that an app needs no
// C++ and no protobuf of its own: load a frozen graph, run it, read the
// outputs.
//
//   tfcarve_session* session = tfcarve_session_new(graph, graph_size, 0);
//   if (tfcarve_session_error(session) != NULL) …
//
//   const int64_t dims[] = {1, 3};
//   const float pixels[] = {0.f, 1.f, 2.f};
//   const tfcarve_tensor input = {"x", TFCARVE_FLOAT, 2, dims, pixels,
//                                 sizeof(pixels)};
//   const char* output = "y";
//   tfcarve_result* result = tfcarve_session_run(session, &input, 1, &output,
//   1); if (tfcarve_result_error(result) != NULL) … tfcarve_tensor y;
//   tfcarve_result_get(result, 0, &y);
//   …
//   tfcarve_result_free(result);
//   tfcarve_session_free(session);
//
// There is no global state. A session may be run from several threads at once;
// a result belongs to the thread that asked for it.

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

// The type of a tensor's elements: TensorFlow's own numbers.
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

// How a call ended.
typedef enum tfcarve_status {
  TFCARVE_OK = 0,
  TFCARVE_REFUSED = 1,   // TensorFlow can't: an op or kernel that the library
                         // was not built for, shapes that do not fit, …
  TFCARVE_BAD_INPUT = 2  // no graph, or a tensor that is none
} tfcarve_status;

// One element of a tensor of strings. It need not end with a zero.
typedef struct tfcarve_string {
  const char* data;
  size_t size;
} tfcarve_string;

// A view of a tensor: it owns nothing.
typedef struct tfcarve_tensor {
  const char* name;     // of the graph's node: "x", or "x:1" for its output 1
  int32_t dtype;        // a tfcarve_dtype
  int32_t rank;         // the number of dims; 0 is a scalar
  const int64_t* dims;  // `rank` of them; NULL when there are none
  const void* data;     // the elements, the last dimension is the densest;
                        // an array of tfcarve_string for TFCARVE_STRING
  size_t size;          // of `data`, in bytes
} tfcarve_tensor;

// A graph that is ready to run, or the reason why it can't be.
typedef struct tfcarve_session tfcarve_session;

// The outputs of one run, or the reason why there are none.
typedef struct tfcarve_result tfcarve_result;

// Makes a session of a serialized GraphDef (the bytes of a frozen .pb file);
// `graph_def` is not needed after the call. `threads` is how many threads
// compute an op, the caller's among them: 1 to 1024, or 0 for one a core. Each
// session has its own, which are started when they are first needed. Never
// returns NULL: ask tfcarve_session_error.
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new(const void* graph_def,
                                                    size_t size,
                                                    int32_t threads);

// The same of a file with a serialized GraphDef, which is mapped: constants
// that lie at multiples of 64 bytes in it are used where they are and take no
// memory of their own; others are copied. `tfcarve memmap` makes such a file of
// any frozen graph. The file may be deleted while the session is used. It must
// not be changed: runs are then refused, and where it is cut short during a run
// the process is ended (SIGBUS).
TFCARVE_EXPORT tfcarve_session* tfcarve_session_new_from_file(const char* path,
                                                              int32_t threads);

// How many bytes of the graph's constants are used where they are in the file.
TFCARVE_EXPORT size_t tfcarve_session_mapped_bytes(const tfcarve_session*);

// Why the session can't be used, or NULL when it can. The text belongs to the
// session. A graph that needs ops or kernels which the library was not built
// for is refused, with all that is missing and the nodes that need it, a line
// each.
TFCARVE_EXPORT const char* tfcarve_session_error(const tfcarve_session*);

// The same as a tfcarve_status.
TFCARVE_EXPORT int32_t tfcarve_session_status(const tfcarve_session*);

// Ends a session. NULL is ignored.
TFCARVE_EXPORT void tfcarve_session_free(tfcarve_session*);

// Runs the graph: feeds the inputs, computes the outputs of those names. The
// inputs are copied. Never returns NULL: ask tfcarve_result_error.
TFCARVE_EXPORT tfcarve_result* tfcarve_session_run(
    tfcarve_session*, const tfcarve_tensor* inputs, size_t input_count,
    const char* const* output_names, size_t output_count);

// Why the run failed, or NULL. The text belongs to the result.
TFCARVE_EXPORT const char* tfcarve_result_error(const tfcarve_result*);

// The same as a tfcarve_status.
TFCARVE_EXPORT int32_t tfcarve_result_status(const tfcarve_result*);

// How many outputs the result has: none when the run failed.
TFCARVE_EXPORT size_t tfcarve_result_count(const tfcarve_result*);

// Fills in a view of an output, in the order in which they were asked for. What
// it points to lives until tfcarve_result_free. Returns 0, or 1 when there is
// no such output.
TFCARVE_EXPORT int32_t tfcarve_result_get(const tfcarve_result*, size_t index,
                                          tfcarve_tensor* output);

// One execution of one node in a traced run.
typedef struct tfcarve_node_trace {
  const char* node;     // its name
  const char* op;       // its type: "Conv2D"
  const char* inputs;   // as they stand in its NodeDef: "x, filter:0, ^init"
  int64_t start_ns;     // since the run's first execution
  int64_t duration_ns;  // of its kernel's computation
  int64_t allocated_bytes;  // that its kernel asked for
  size_t output_count;
  const tfcarve_tensor* outputs;  // their types and shapes, without names and
                                  // elements; type 0 for one that was not
                                  // computed
} tfcarve_node_trace;

// Runs the graph as tfcarve_session_run does and records each node: for
// profiling, the records take time themselves. The time of a node that calls a
// function contains the times of the function's nodes.
TFCARVE_EXPORT tfcarve_result* tfcarve_session_run_traced(
    tfcarve_session*, const tfcarve_tensor* inputs, size_t input_count,
    const char* const* output_names, size_t output_count);

// How many executions of nodes the result's run recorded: 0 unless it was
// traced.
TFCARVE_EXPORT size_t tfcarve_result_trace_count(const tfcarve_result*);

// Fills in the record of an execution, in the order in which they ended. What
// it points to lives until tfcarve_result_free. Returns 0, or 1 when there is
// no such record.
TFCARVE_EXPORT int32_t tfcarve_result_trace_get(const tfcarve_result*,
                                                size_t index,
                                                tfcarve_node_trace* trace);

// Ends a result, and all views of it. NULL is ignored.
TFCARVE_EXPORT void tfcarve_result_free(tfcarve_result*);

// What this library was made for, as JSON text: tfcarve's and TensorFlow's
// versions, the defines, the models with their SHA-256, the ops. Needs no
// session.
TFCARVE_EXPORT const char* tfcarve_manifest(void);

// The table of what this library registers, as it stands in its file: `size`
// bytes, records of registration_table.h. NULL and 0 in a library that was made
// without it. Needs no session.
TFCARVE_EXPORT const char* tfcarve_registrations(size_t* size);

// The instruction set that float products, convolutions and the like are
// computed with: "baseline", "avx2" or "avx512" on x86, "neon" on Arm. The
// library chooses the best one that the CPU supports, or the one that the
// environment variable TFCARVE_CPU names.
TFCARVE_EXPORT const char* tfcarve_cpu(void);

// Chooses the instruction set by name, for all sessions of the process; "" for
// the best one. Returns 0, or 1 and changes nothing when there is no such name
// or the CPU does not support it.
TFCARVE_EXPORT int32_t tfcarve_set_cpu(const char* name);

// How many kernels this library has registered. 0 tells that the objects which
// register them were dropped by the linker.
TFCARVE_EXPORT size_t tfcarve_kernel_count(void);

// Whether this library has registered the op of that name: 1 or 0.
TFCARVE_EXPORT int32_t tfcarve_has_op(const char* op);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TFCARVE_TOOLS_RUNTIME_TFCARVE_C_API_H_
