// C++17 classes for the C interface of a carved TensorFlow library.
// Header-only; needs neither exceptions nor RTTI.
//
//   #include <cstdio>
//
//   #include "tfcarve.hpp"
//
//   int main() {
//     tfcarve::Session session = tfcarve::Session::FromFile("model.pb");
//     if (!session.ok()) {
//       std::fprintf(stderr, "%s\n", session.error());
//       return 1;
//     }
//     const float values[] = {0.f, 1.f, 2.f};
//     tfcarve::Result result =
//         session.Run({tfcarve::Input("x", {1, 3}, values, 3)}, {"y"});
//     if (!result.ok()) {
//       std::fprintf(stderr, "%s\n", result.error());
//       return 1;
//     }
//     if (const float* y = result.output(0).data<float>()) {
//       std::printf("%f\n", y[0]);
//     }
//     return 0;
//   }
//
// An object frees its handle of the C interface. Objects can be moved, not
// copied. tfcarve_c_api.h describes the functions, and tells which functions
// several threads may call.

#ifndef TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_HPP_
#define TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_HPP_

#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tfcarve_c_api.h"

namespace tfcarve {
inline namespace v1 {

// The tfcarve_dtype of a C++ type; not defined for other types.
template <typename T>
struct DtypeOf;

#define TFCARVE_DTYPE(type, number)                \
  template <>                                      \
  struct DtypeOf<type> {                           \
    static constexpr tfcarve_dtype value = number; \
  }
TFCARVE_DTYPE(float, TFCARVE_FLOAT);
TFCARVE_DTYPE(double, TFCARVE_DOUBLE);
TFCARVE_DTYPE(int8_t, TFCARVE_INT8);
TFCARVE_DTYPE(int16_t, TFCARVE_INT16);
TFCARVE_DTYPE(int32_t, TFCARVE_INT32);
TFCARVE_DTYPE(int64_t, TFCARVE_INT64);
TFCARVE_DTYPE(uint8_t, TFCARVE_UINT8);
TFCARVE_DTYPE(uint16_t, TFCARVE_UINT16);
TFCARVE_DTYPE(uint32_t, TFCARVE_UINT32);
TFCARVE_DTYPE(uint64_t, TFCARVE_UINT64);
TFCARVE_DTYPE(bool, TFCARVE_BOOL);
TFCARVE_DTYPE(std::complex<float>, TFCARVE_COMPLEX64);
TFCARVE_DTYPE(std::complex<double>, TFCARVE_COMPLEX128);
TFCARVE_DTYPE(tfcarve_string, TFCARVE_STRING);
#undef TFCARVE_DTYPE

// A tensor to feed: a view of its elements, with a name and a shape of its own.
class Input {
 public:
  // `count` elements at `values`, which must exist until the run has ended.
  template <typename T>
  Input(std::string name, std::vector<int64_t> dims, const T* values,
        size_t count)
      : Input(std::move(name), std::move(dims), DtypeOf<T>::value, values,
              count * sizeof(T)) {}

  // `size` bytes of elements of a type that C++ does not have.
  Input(std::string name, std::vector<int64_t> dims, tfcarve_dtype dtype,
        const void* data, size_t size)
      : name_(std::move(name)),
        dims_(std::move(dims)),
        dtype_(dtype),
        data_(data),
        size_(size) {}

  // A view, valid as long as this object.
  tfcarve_tensor view() const {
    return {name_.c_str(), dtype_, static_cast<int32_t>(dims_.size()),
            dims_.data(),  data_,  size_};
  }

 private:
  std::string name_;
  std::vector<int64_t> dims_;
  tfcarve_dtype dtype_;
  const void* data_;
  size_t size_;
};

// A view of an output, valid as long as its result.
class Output {
 public:
  Output() : view_{"", 0, 0, nullptr, nullptr, 0} {}
  explicit Output(const tfcarve_tensor& view) : view_(view) {}

  const char* name() const { return view_.name; }
  int32_t dtype() const { return view_.dtype; }
  std::vector<int64_t> dims() const {
    return std::vector<int64_t>(view_.dims, view_.dims + view_.rank);
  }
  // Null if the elements are not of type T.
  template <typename T>
  const T* data() const {
    return view_.dtype == DtypeOf<T>::value ? static_cast<const T*>(view_.data)
                                            : nullptr;
  }
  // The number of elements of type T.
  template <typename T>
  size_t size() const {
    return data<T>() == nullptr ? 0 : view_.size / sizeof(T);
  }
  const tfcarve_tensor& view() const { return view_; }

 private:
  tfcarve_tensor view_;
};

// Threads for several sessions.
class Threads {
 public:
  // 1 to 1024, or 0 for one per core.
  explicit Threads(int32_t count) : handle_(tfcarve_threads_new(count)) {}
  // False if the number is invalid.
  bool ok() const { return handle_ != nullptr; }
  tfcarve_threads* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(tfcarve_threads* it) const { tfcarve_threads_free(it); }
  };
  std::unique_ptr<tfcarve_threads, Free> handle_;
};

// Stops runs from another thread.
class Cancellation {
 public:
  Cancellation() : handle_(tfcarve_cancellation_new()) {}
  void Cancel() { tfcarve_cancel(handle_.get()); }
  tfcarve_cancellation* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(tfcarve_cancellation* it) const {
      tfcarve_cancellation_free(it);
    }
  };
  std::unique_ptr<tfcarve_cancellation, Free> handle_;
};

struct SessionOptions {
  int32_t threads = 0;
  const Threads* shared_threads = nullptr;
  size_t memory_limit = 0;  // in bytes; 0: none
};

struct RunOptions {
  std::chrono::milliseconds timeout{0};  // 0: none
  const Cancellation* cancellation = nullptr;
  bool trace = false;
  std::vector<tfcarve_buffer> output_buffers;  // none, or one for each output
};

// The outputs of a run, or the reason why it failed.
class Result {
 public:
  // Takes ownership.
  explicit Result(tfcarve_result* handle) : handle_(handle) {}

  bool ok() const { return status() == TFCARVE_OK; }
  int32_t status() const { return tfcarve_result_status(get()); }
  // Null if there is no error.
  const char* error() const { return tfcarve_result_error(get()); }
  // Null if the error is not about one node.
  const char* error_node() const { return tfcarve_result_error_node(get()); }
  size_t size() const { return tfcarve_result_count(get()); }
  // Without elements if there is no such output.
  Output output(size_t index) const {
    tfcarve_tensor view;
    return tfcarve_result_get(get(), index, &view) == 0 ? Output(view)
                                                        : Output();
  }
  const tfcarve_result* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(tfcarve_result* it) const { tfcarve_result_free(it); }
  };
  std::unique_ptr<tfcarve_result, Free> handle_;
};

// A graph that is ready to run, or the reason why it could not be loaded.
class Session {
 public:
  // Takes ownership.
  explicit Session(tfcarve_session* handle) : handle_(handle) {}

  static Session FromFile(const std::string& path,
                          const SessionOptions& options = {}) {
    const tfcarve_session_options c_options = ToCOptions(options);
    return Session(tfcarve_session_new_from_file(path.c_str(), &c_options));
  }
  static Session FromMemory(const void* graph_def, size_t size,
                            const SessionOptions& options = {}) {
    const tfcarve_session_options c_options = ToCOptions(options);
    return Session(tfcarve_session_new(graph_def, size, &c_options));
  }
  static Session FromReader(const tfcarve_reader& reader,
                            const SessionOptions& options = {}) {
    const tfcarve_session_options c_options = ToCOptions(options);
    return Session(tfcarve_session_new_from_reader(&reader, &c_options));
  }

  bool ok() const { return status() == TFCARVE_OK; }
  int32_t status() const { return tfcarve_session_status(get()); }
  // Null if there is no error.
  const char* error() const { return tfcarve_session_error(get()); }
  // Null if the error is not about one node.
  const char* error_node() const { return tfcarve_session_error_node(get()); }

  // The types and shapes that the graph states for its inputs and outputs;
  // valid as long as the session.
  std::vector<tfcarve_tensor_info> inputs() const {
    return Infos(tfcarve_session_input_count(get()), &tfcarve_session_input);
  }
  std::vector<tfcarve_tensor_info> outputs() const {
    return Infos(tfcarve_session_output_count(get()), &tfcarve_session_output);
  }

  Result Run(const std::vector<Input>& inputs,
             const std::vector<std::string>& output_names,
             const RunOptions& options = {}) {
    std::vector<tfcarve_tensor> views;
    for (const Input& input : inputs) views.push_back(input.view());
    std::vector<const char*> names;
    for (const std::string& name : output_names) names.push_back(name.c_str());
    tfcarve_run_options c_options = TFCARVE_RUN_OPTIONS_INIT;
    c_options.timeout_ms = options.timeout.count();
    if (options.cancellation != nullptr) {
      c_options.cancellation = options.cancellation->get();
    }
    c_options.trace = options.trace ? 1 : 0;
    std::vector<tfcarve_buffer> buffers = options.output_buffers;
    if (!buffers.empty()) {
      // Outputs without a buffer have memory of their own.
      buffers.resize(names.size(), tfcarve_buffer{nullptr, 0});
      c_options.output_buffers = buffers.data();
    }
    return Result(tfcarve_session_run(get(), views.data(), views.size(),
                                      names.data(), names.size(), &c_options));
  }

  tfcarve_session* get() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(tfcarve_session* it) const { tfcarve_session_free(it); }
  };

  static tfcarve_session_options ToCOptions(const SessionOptions& options) {
    tfcarve_session_options c_options = TFCARVE_SESSION_OPTIONS_INIT;
    c_options.threads = options.threads;
    if (options.shared_threads != nullptr) {
      c_options.shared_threads = options.shared_threads->get();
    }
    c_options.memory_limit = options.memory_limit;
    return c_options;
  }

  std::vector<tfcarve_tensor_info> Infos(
      size_t count, int32_t (*get_info)(const tfcarve_session*, size_t,
                                        tfcarve_tensor_info*)) const {
    std::vector<tfcarve_tensor_info> infos(count);
    for (size_t i = 0; i < count; ++i) get_info(get(), i, &infos[i]);
    return infos;
  }

  std::unique_ptr<tfcarve_session, Free> handle_;
};

}  // namespace v1
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_INCLUDE_TFCARVE_HPP_
