#include <cstring>

#include "tensorflow/core/framework/registration/registration.h"

namespace mini {
namespace {
struct Row {
  const char* op;
  Factory factory;
};
Row rows[64];
int count = 0;
}  // namespace

bool RegisterKernel(const char* op, Factory factory) {
  if (count == 64) return false;
  rows[count++] = {op, factory};
  return true;
}

bool RegisterOp(const char* op, const char* doc) {
  return op != nullptr && doc != nullptr;
}

Kernel* Make(const char* op) {
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(rows[i].op, op) == 0) return rows[i].factory();
  }
  return nullptr;
}

const char* NeverUsed(int n) {
  return n > 3 ? "a string of code that the linker drops" : "another of them";
}
}  // namespace mini

extern "C" __attribute__((visibility("default"))) int mini_run(const char* op,
                                                               void* data,
                                                               int size) {
  mini::Kernel* kernel = mini::Make(op);
  if (kernel == nullptr) return 1;
  const char* said = kernel->Compute(data, size);
  delete kernel;
  return said == nullptr;
}
