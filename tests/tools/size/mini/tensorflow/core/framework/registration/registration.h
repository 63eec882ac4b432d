// A framework in small: kernels register at start-up, each under the condition
// that TensorFlow's own macros ask for.
#ifndef MINI_REGISTRATION_H_
#define MINI_REGISTRATION_H_

#include "ops_to_register.h"

namespace mini {

struct Kernel {
  virtual ~Kernel() = default;
  virtual const char* Compute(void* data, int size) = 0;
};

using Factory = Kernel* (*)();
bool RegisterKernel(const char* op, Factory factory);
bool RegisterOp(const char* op, const char* doc);
Kernel* Make(const char* op);

struct CPUDevice {};

template <bool kSelected>
struct Registrar {
  template <typename K>
  static bool KernelOf(const char* op) {
    return RegisterKernel(op, []() -> Kernel* { return new K; });
  }
  static bool Op(const char* op, const char* doc) {
    return RegisterOp(op, doc);
  }
};

template <>
struct Registrar<false> {
  template <typename K>
  static bool KernelOf(const char*) {
    return false;
  }
  static bool Op(const char*, const char*) { return false; }
};

}  // namespace mini

#define MINI_NAME_2(line) registered_##line
#define MINI_NAME(line) MINI_NAME_2(line)
#define REGISTER_MINI_KERNEL(op, ...)                             \
  static const bool MINI_NAME(__LINE__) __attribute__((unused)) = \
      ::mini::Registrar<SHOULD_REGISTER_OP_KERNEL(                \
          #__VA_ARGS__)>::KernelOf<__VA_ARGS__>(op)
#define REGISTER_MINI_OP(op, doc)                                 \
  static const bool MINI_NAME(__LINE__) __attribute__((unused)) = \
      ::mini::Registrar<SHOULD_REGISTER_OP(op)>::Op(op, doc)

#endif  // MINI_REGISTRATION_H_
