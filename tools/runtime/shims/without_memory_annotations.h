// Replaces tsl/profiler/lib/scoped_memory_debug_annotation.h: no allocator of a
// carved library reads the annotations, which TensorFlow writes for each op and
// each allocation.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_MEMORY_ANNOTATIONS_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_MEMORY_ANNOTATIONS_H_

// The guard of the header that this one replaces. TensorFlow's sources find
// that header first, whatever the order of include folders.
#define TENSORFLOW_TSL_PROFILER_LIB_SCOPED_MEMORY_DEBUG_ANNOTATION_H_

#include <cstdint>
#include <functional>
#include <string>

namespace tsl {
namespace profiler {

struct MemoryDebugAnnotation {
  const char* pending_op_name = nullptr;
  int64_t pending_step_id = 0;
  const char* pending_region_type = nullptr;
  int32_t pending_data_type = 0;
  std::function<std::string()> pending_shape_func = [] {
    return std::string();
  };
};

class ScopedMemoryDebugAnnotation {
 public:
  static const MemoryDebugAnnotation& CurrentAnnotation() {
    return *ThreadMemoryDebugAnnotation();
  }

  // The last argument of some constructors is a lambda: a std::function is not
  // made of it.
  template <typename... Arguments>
  explicit ScopedMemoryDebugAnnotation(const char*, Arguments&&...) {}

  // Not trivial: compilers would warn of unused variables.
  ~ScopedMemoryDebugAnnotation() {}

  ScopedMemoryDebugAnnotation(const ScopedMemoryDebugAnnotation&) = delete;
  ScopedMemoryDebugAnnotation& operator=(const ScopedMemoryDebugAnnotation&) =
      delete;

 private:
  static MemoryDebugAnnotation* ThreadMemoryDebugAnnotation();
};

}  // namespace profiler
}  // namespace tsl

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_MEMORY_ANNOTATIONS_H_
