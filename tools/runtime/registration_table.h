// A table of what a library registers, which can be read from its file.
//
// TensorFlow's macros register at start-up, by code: nothing in the built file
// tells what. All of them go through TF_NEW_ID_FOR_INIT, with the name of the
// macro that does the work and its arguments
// (tensorflow/core/framework/registration/registration.h, op.h, op_kernel.h).
// Here that macro leaves a record beside each registration, on the
// registration's own condition: a record is there if and only if the code is.
//
// A unit includes this file before the source that it registers. Sources that
// are compiled whole get it by the compiler's -include.
//
// Records are plain text in a section of their own, each ended by a zero byte;
// zero bytes between records mean nothing. The fields, with '\x1f' between
// them, are those of tools/tfcarve/proof/table.py:
//
//   unit    source
//   op      "Name"   whether TensorFlow always registers it
//   kernel  "Op"     whether TensorFlow always registers it   Class<…>
//
// A name stands as in the source: in quotes, or the constant that holds it.

#ifndef TFCARVE_TOOLS_RUNTIME_REGISTRATION_TABLE_H_
#define TFCARVE_TOOLS_RUNTIME_REGISTRATION_TABLE_H_

#include "selected.h"
#include "tensorflow/core/framework/registration/registration.h"

// What is registered goes into one section. What the source could register and
// was not asked for goes into another, which no link keeps: it tells what a
// class that matched nothing should have been called.
#if defined(__APPLE__)
#define TFCARVE_REGISTERED \
  __attribute__((used, section("__DATA,__tfcarve"), aligned(1)))
#define TFCARVE_REFUSED __attribute__((unused))  // not in the object at all
#else
#define TFCARVE_REGISTERED \
  __attribute__((used, section("tfcarve_table"), aligned(1)))
#define TFCARVE_REFUSED \
  __attribute__((used, section(".tfcarve.refused"), aligned(1)))
#endif

namespace tfcarve {

template <bool kThere, decltype(sizeof(0)) kSize>
struct Record {
  char text[kSize] = {};
  constexpr explicit Record(const char (&from)[kSize]) {
    for (decltype(sizeof(0)) i = 0; i < kSize; ++i) text[i] = from[i];
  }
};

// Takes no room: an array of no elements, as g++ and clang know it.
template <decltype(sizeof(0)) kSize>
struct Record<false, kSize> {
  char text[0];
  constexpr explicit Record(const char (&)[kSize]) : text{} {}
};

}  // namespace tfcarve

#define TFCARVE_RECORD(id, condition, text)                      \
  static constexpr ::tfcarve::Record<(condition), sizeof(text)>  \
      tfcarve_registered_##id TFCARVE_REGISTERED{text};          \
  static constexpr ::tfcarve::Record<!(condition), sizeof(text)> \
      tfcarve_refused_##id TFCARVE_REFUSED{text};

// One for each macro that TensorFlow gives to TF_NEW_ID_FOR_INIT, with the
// condition and the class text of that macro.
#define TFCARVE_RECORD_REGISTER_OP_IMPL(id, name, is_system)  \
  TFCARVE_RECORD(id, (is_system) || SHOULD_REGISTER_OP(name), \
                 "op\x1f" #name "\x1f" #is_system)
#define TFCARVE_RECORD_REGISTER_KERNEL_BUILDER_IMPL_3(id, op, builder,      \
                                                      is_system, ...)       \
  TFCARVE_RECORD(id,                                                        \
                 (is_system) || (SHOULD_REGISTER_OP_KERNEL(#__VA_ARGS__) && \
                                 SHOULD_REGISTER_OP(op)),                   \
                 "kernel\x1f" #op "\x1f" #is_system "\x1f" #__VA_ARGS__)

#undef TF_NEW_ID_FOR_INIT
#define TF_NEW_ID_FOR_INIT(m, ...) TFCARVE_NEW_ID_1(m, __COUNTER__, __VA_ARGS__)
#define TFCARVE_NEW_ID_1(m, id, ...) TFCARVE_NEW_ID_2(m, id, __VA_ARGS__)
#define TFCARVE_NEW_ID_2(m, id, ...) \
  TFCARVE_RECORD_##m(id, __VA_ARGS__) m(id, __VA_ARGS__)

#ifdef TFCARVE_UNIT
TFCARVE_RECORD(unit, true, "unit\x1f" TFCARVE_UNIT)
#endif

#endif  // TFCARVE_TOOLS_RUNTIME_REGISTRATION_TABLE_H_
