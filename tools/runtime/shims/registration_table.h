// A table of a library's registrations that can be read from its file.
//
// TensorFlow's macros register by code that runs when the library is loaded, so
// the file itself does not list the ops and kernels. All of these macros expand
// TF_NEW_ID_FOR_INIT with the name of the macro that registers and its
// arguments (tensorflow/core/framework/registration/registration.h, op.h,
// op_kernel.h). This header redefines TF_NEW_ID_FOR_INIT to emit a record in
// addition, under the condition of the code: a record exists if and only if the
// code exists.
//
// It also replaces the code that registers a kernel. TensorFlow's code creates
// an object of the class in a function that is compiled even if the kernel is
// not selected. A compiler then instantiates the class and all that it calls,
// and drops the result, which takes most of a unit's compile time.
//
// A unit includes this file before its kernel source. Sources that are compiled
// whole get it through the compiler's -include.
//
// Records are plain text in a separate section, each terminated by a zero byte;
// further zero bytes between records are padding. The fields, separated by
// '\x1f'; tools/tfcarve/proof/table.py reads them:
//
//   unit    source
//   op      "Name"   whether TensorFlow always registers it
//   kernel  "Op"     whether TensorFlow always registers it   Class<…>
//
// A name has the form of the source: a quoted name, or the name of a constant.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_REGISTRATION_TABLE_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_REGISTRATION_TABLE_H_

#include "selected.h"
#include "tensorflow/core/framework/registration/registration.h"

// Registrations that are not selected are recorded in another section, which
// the linker drops. It shows the correct name of a class that matched nothing.
#if defined(__APPLE__)
#define TFCARVE_REGISTERED \
  __attribute__((used, section("__DATA,__tfcarve"), aligned(1)))
#define TFCARVE_REFUSED __attribute__((unused))  // not in the object
#else
#define TFCARVE_REGISTERED \
  __attribute__((used, section("tfcarve_table"), aligned(1)))
#define TFCARVE_REFUSED \
  __attribute__((used, section(".tfcarve.refused"), aligned(1)))
#endif

namespace tensorflow {

class OpKernel;
class OpKernelConstruction;

}  // namespace tensorflow

namespace tfcarve {

template <bool kPresent, decltype(sizeof(0)) kSize>
struct Record {
  char text[kSize] = {};
  constexpr explicit Record(const char (&from)[kSize]) {
    for (decltype(sizeof(0)) i = 0; i < kSize; ++i) text[i] = from[i];
  }
};

// Takes no space: an empty array, an extension of g++ and clang.
template <decltype(sizeof(0)) kSize>
struct Record<false, kSize> {
  char text[0];
  constexpr explicit Record(const char (&)[kSize]) : text{} {}
};

// Creates kernels of a class, which is instantiated only if it is selected.
template <bool kSelected>
struct KernelFactory {
  template <typename Kernel>
  static ::tensorflow::OpKernel* Create(
      ::tensorflow::OpKernelConstruction* context) {
    if constexpr (kSelected) {
      return new Kernel(context);
    } else {
      return nullptr;
    }
  }
};

}  // namespace tfcarve

#define TFCARVE_RECORD(id, condition, text)                      \
  static constexpr ::tfcarve::Record<(condition), sizeof(text)>  \
      tfcarve_registered_##id TFCARVE_REGISTERED{text};          \
  static constexpr ::tfcarve::Record<!(condition), sizeof(text)> \
      tfcarve_refused_##id TFCARVE_REFUSED{text};

// One for each macro that TensorFlow passes to TF_NEW_ID_FOR_INIT, with that
// macro's condition and class text.
#define TFCARVE_RECORD_REGISTER_OP_IMPL(id, name, is_system)  \
  TFCARVE_RECORD(id, (is_system) || SHOULD_REGISTER_OP(name), \
                 "op\x1f" #name "\x1f" #is_system)
#define TFCARVE_RECORD_REGISTER_KERNEL_BUILDER_IMPL_3(id, op, builder, \
                                                      is_system, ...)  \
  TFCARVE_RECORD(id, TFCARVE_IS_SELECTED(op, is_system, #__VA_ARGS__), \
                 "kernel\x1f" #op "\x1f" #is_system "\x1f" #__VA_ARGS__)
#define TFCARVE_IS_SELECTED(op, is_system, class_text) \
  ((is_system) ||                                      \
   (SHOULD_REGISTER_OP_KERNEL(class_text) && SHOULD_REGISTER_OP(op)))

#define TFCARVE_RUN_REGISTER_OP_IMPL REGISTER_OP_IMPL
#define TFCARVE_RUN_REGISTER_KERNEL_BUILDER_IMPL_3(id, op, builder, is_system, \
                                                   ...)                        \
  static const ::tensorflow::InitOnStartupMarker tfcarve_kernel_##id           \
      TF_ATTRIBUTE_UNUSED =                                                    \
          TF_INIT_ON_STARTUP_IF(                                               \
              TFCARVE_IS_SELECTED(op, is_system, #__VA_ARGS__))                \
          << [](const ::tensorflow::KernelDef* def) {                          \
               ::tensorflow::kernel_factory::OpKernelRegistrar(                \
                   def, #__VA_ARGS__,                                          \
                   ::tfcarve::KernelFactory<TFCARVE_IS_SELECTED(               \
                       op, is_system, #__VA_ARGS__)>::Create<__VA_ARGS__>);    \
               return ::tensorflow::InitOnStartupMarker{};                     \
             }((builder).Build());

#undef TF_NEW_ID_FOR_INIT
#define TF_NEW_ID_FOR_INIT(m, ...) TFCARVE_NEW_ID_1(m, __COUNTER__, __VA_ARGS__)
#define TFCARVE_NEW_ID_1(m, id, ...) TFCARVE_NEW_ID_2(m, id, __VA_ARGS__)
#define TFCARVE_NEW_ID_2(m, id, ...) \
  TFCARVE_RECORD_##m(id, __VA_ARGS__) TFCARVE_RUN_##m(id, __VA_ARGS__)

#ifdef TFCARVE_UNIT
TFCARVE_RECORD(unit, true, "unit\x1f" TFCARVE_UNIT)
#endif

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_REGISTRATION_TABLE_H_
