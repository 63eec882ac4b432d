// A fake carved library: the model is any file whose path ends with ".pb", each
// output is a copy of the first input, and the output "bad" fails. It has the
// instruction sets "baseline" and "avx2". VERSION is that of the interface.

#include <stdlib.h>
#include <string.h>

#include "tfcarve_c_api.h"

struct tfcarve_session {
  const char* error;
};

struct tfcarve_result {
  const char* error;
  size_t count;
  int is_traced;
  int64_t dims[4];
  tfcarve_tensor output;
  char data[64];
};

static const tfcarve_tensor kShape = {NULL, TFCARVE_FLOAT, 0, NULL, NULL, 0};

tfcarve_session* tfcarve_session_new(const void* graph_def, size_t size,
                                     const tfcarve_session_options* options) {
  tfcarve_session* session = calloc(1, sizeof(*session));
  const int has_threads = options != NULL && options->threads >= 0;
  if (graph_def == NULL || size == 0 || !has_threads) session->error = "empty";
  return session;
}

tfcarve_session* tfcarve_session_new_from_file(
    const char* path, const tfcarve_session_options* options) {
  const size_t length = path == NULL ? 0 : strlen(path);
  const int is_model = length > 3 && strcmp(path + length - 3, ".pb") == 0;
  return tfcarve_session_new(path, is_model, options);
}

tfcarve_session* tfcarve_session_new_from_reader(
    const tfcarve_reader* reader, const tfcarve_session_options* options) {
  (void)reader;
  return tfcarve_session_new(NULL, 0, options);
}

int32_t tfcarve_api_version(void) { return VERSION; }

const char* tfcarve_status_name(int32_t status) {
  return status == TFCARVE_OK ? "OK" : "";
}

tfcarve_threads* tfcarve_threads_new(int32_t count) {
  (void)count;
  return NULL;
}

void tfcarve_threads_free(tfcarve_threads* threads) { (void)threads; }

const char* tfcarve_session_error_node(const tfcarve_session* session) {
  (void)session;
  return NULL;
}

size_t tfcarve_session_input_count(const tfcarve_session* session) {
  return session->error == NULL ? 1 : 0;
}

int32_t tfcarve_session_input(const tfcarve_session* session, size_t index,
                              tfcarve_tensor_info* info) {
  static const int64_t kDims[] = {-1, 2};
  static const tfcarve_tensor_info kInput = {"x", TFCARVE_FLOAT, 2, kDims};
  if (index >= tfcarve_session_input_count(session)) return 1;
  *info = kInput;
  return 0;
}

size_t tfcarve_session_output_count(const tfcarve_session* session) {
  return session->error == NULL ? 1 : 0;
}

int32_t tfcarve_session_output(const tfcarve_session* session, size_t index,
                               tfcarve_tensor_info* info) {
  static const tfcarve_tensor_info kOutput = {"y", 0, -1, NULL};
  if (index >= tfcarve_session_output_count(session)) return 1;
  *info = kOutput;
  return 0;
}

tfcarve_cancellation* tfcarve_cancellation_new(void) { return NULL; }

void tfcarve_cancel(tfcarve_cancellation* cancellation) { (void)cancellation; }

void tfcarve_cancellation_free(tfcarve_cancellation* cancellation) {
  (void)cancellation;
}

size_t tfcarve_session_mapped_bytes(const tfcarve_session* session) {
  return session->error == NULL ? 64 : 0;
}

const char* tfcarve_session_error(const tfcarve_session* session) {
  return session->error;
}

int32_t tfcarve_session_status(const tfcarve_session* session) {
  return session->error == NULL ? TFCARVE_OK : TFCARVE_INVALID_ARGUMENT;
}

void tfcarve_session_free(tfcarve_session* session) { free(session); }

tfcarve_result* tfcarve_session_run(tfcarve_session* session,
                                    const tfcarve_tensor* inputs,
                                    size_t input_count,
                                    const char* const* output_names,
                                    size_t output_count,
                                    const tfcarve_run_options* options) {
  tfcarve_result* result = calloc(1, sizeof(*result));
  (void)session;
  if (input_count == 0 || strcmp(output_names[0], "bad") == 0) {
    result->error = "no such node";
    return result;
  }
  result->count = output_count;
  result->is_traced = options != NULL && options->trace != 0;
  result->output = inputs[0];
  memcpy(result->dims, inputs[0].dims, inputs[0].rank * sizeof(int64_t));
  memcpy(result->data, inputs[0].data, inputs[0].size);
  result->output.dims = result->dims;
  result->output.data = result->data;
  return result;
}

const char* tfcarve_result_error(const tfcarve_result* result) {
  return result->error;
}

int32_t tfcarve_result_status(const tfcarve_result* result) {
  return result->error == NULL ? TFCARVE_OK : TFCARVE_NOT_FOUND;
}

const char* tfcarve_result_error_node(const tfcarve_result* result) {
  return result->error == NULL ? NULL : "bad";
}

size_t tfcarve_result_count(const tfcarve_result* result) {
  return result->count;
}

int32_t tfcarve_result_get(const tfcarve_result* result, size_t index,
                           tfcarve_tensor* output) {
  if (index >= result->count) return 1;
  *output = result->output;
  return 0;
}

size_t tfcarve_result_trace_count(const tfcarve_result* result) {
  return result->is_traced ? 2 : 0;
}

// Records are in the order in which the executions ended.
int32_t tfcarve_result_trace_get(const tfcarve_result* result, size_t index,
                                 tfcarve_node_trace* trace) {
  const tfcarve_node_trace traces[] = {
      {"relu", "Relu", "conv", 2000000, 1000000, 0, 1, &result->output},
      {"conv", "Conv2D", "x, filter", 0, 5000000, 80, 1, &kShape}};
  if (index >= tfcarve_result_trace_count(result)) return 1;
  *trace = traces[index];
  return 0;
}

void tfcarve_result_free(tfcarve_result* result) { free(result); }

size_t tfcarve_kernel_count(void) { return 3; }

static const char* cpu = "avx2";

const char* tfcarve_cpu(void) { return cpu; }

int32_t tfcarve_set_cpu(const char* name) {
  static const char* const kNames[] = {"baseline", "avx2"};
  if (name == NULL) return 1;
  if (*name == '\0') name = "avx2";
  for (size_t i = 0; i < sizeof(kNames) / sizeof(*kNames); ++i) {
    if (strcmp(name, kNames[i]) == 0) {
      cpu = kNames[i];
      return 0;
    }
  }
  return 1;
}

const char* tfcarve_manifest(void) { return "{}"; }

const char* tfcarve_registrations(size_t* size) {
  *size = 0;
  return NULL;
}

int32_t tfcarve_set_log(tfcarve_log_sink sink, void* context, int32_t level) {
  (void)sink;
  (void)context;
  return level >= 0 && level <= 4 ? 0 : 1;
}

int32_t tfcarve_has_op(const char* op) { return strcmp(op, "Relu") == 0; }
