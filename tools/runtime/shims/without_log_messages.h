// Compiles out TensorFlow's log messages: LOG and VLOG do nothing, a failed
// CHECK and LOG(FATAL) abort without a message, and OP_REQUIRES does not
// contain its source location. Errors that a call returns keep their text.
//
// It redefines macros of tsl/platform/default/logging.h and
// core/framework/op_requires.h, which it includes first.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_LOG_MESSAGES_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_LOG_MESSAGES_H_

#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <type_traits>

#include "tensorflow/core/framework/op_requires.h"
#include "tensorflow/core/platform/logging.h"

namespace tfcarve {

// Discards the parts of a log message.
struct Dropped {
  template <typename T>
  const Dropped& operator<<(const T&) const {
    return *this;
  }
  const Dropped& operator<<(std::ostream& (*)(std::ostream&)) const {
    return *this;
  }
};

template <typename A, typename B>
constexpr bool kOneIsSigned =
    std::is_integral<A>::value && std::is_integral<B>::value &&
    std::is_signed<A>::value != std::is_signed<B>::value;

// A negative number is less than any unsigned one.
#define TFCARVE_CHECK(name, op)                                              \
  template <typename A, typename B>                                          \
  bool name(const A& a, const B& b) {                                        \
    if constexpr (kOneIsSigned<A, B>) {                                      \
      if constexpr (std::is_signed<A>::value) {                              \
        if (a < 0) return -1 op 0;                                           \
      } else {                                                               \
        if (b < 0) return 0 op - 1;                                          \
      }                                                                      \
      return static_cast<std::uint64_t>(a) op static_cast<std::uint64_t>(b); \
    } else {                                                                 \
      return a op b;                                                         \
    }                                                                        \
  }
TFCARVE_CHECK(Check_EQ, ==)
TFCARVE_CHECK(Check_NE, !=)
TFCARVE_CHECK(Check_LE, <=)
TFCARVE_CHECK(Check_LT, <)
TFCARVE_CHECK(Check_GE, >=)
TFCARVE_CHECK(Check_GT, >)
#undef TFCARVE_CHECK

}  // namespace tfcarve

#undef _TF_LOG_INFO
#define _TF_LOG_INFO \
  while (false) ::tfcarve::Dropped()
#undef _TF_LOG_WARNING
#define _TF_LOG_WARNING _TF_LOG_INFO
#undef _TF_LOG_ERROR
#define _TF_LOG_ERROR _TF_LOG_INFO
#undef _TF_LOG_FATAL
#define _TF_LOG_FATAL \
  for (::std::abort();;) ::tfcarve::Dropped()

#undef VLOG
#define VLOG(level) _TF_LOG_INFO

#undef CHECK
#define CHECK(condition) \
  if (TF_PREDICT_FALSE(!(condition))) _TF_LOG_FATAL
#undef CHECK_OP
#define CHECK_OP(name, op, a, b)                                   \
  CHECK(::tfcarve::name(::tsl::internal::GetReferenceableValue(a), \
                        ::tsl::internal::GetReferenceableValue(b)))

#undef OP_REQUIRES
#define OP_REQUIRES(CTX, EXP, STATUS)                     \
  do {                                                    \
    if (!TF_PREDICT_TRUE(EXP)) {                          \
      CheckNotInComputeAsync((CTX), "OP_REQUIRES_ASYNC"); \
      (CTX)->CtxFailure(STATUS);                          \
      return;                                             \
    }                                                     \
  } while (0)

#undef OP_REQUIRES_OK
#define OP_REQUIRES_OK(CTX, ...)                             \
  do {                                                       \
    ::tensorflow::Status _s(__VA_ARGS__);                    \
    if (!TF_PREDICT_TRUE(_s.ok())) {                         \
      CheckNotInComputeAsync((CTX), "OP_REQUIRES_OK_ASYNC"); \
      (CTX)->CtxFailure(_s);                                 \
      return;                                                \
    }                                                        \
  } while (0)

#undef OP_REQUIRES_ASYNC
#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK) \
  do {                                                \
    if (!TF_PREDICT_TRUE(EXP)) {                      \
      (CTX)->CtxFailure(STATUS);                      \
      (CALLBACK)();                                   \
      return;                                         \
    }                                                 \
  } while (0)

#undef OP_REQUIRES_OK_ASYNC
#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK) \
  do {                                              \
    const ::tensorflow::Status& _s(STATUS);         \
    if (!TF_PREDICT_TRUE(_s.ok())) {                \
      (CTX)->CtxFailure(_s);                        \
      (CALLBACK)();                                 \
      return;                                       \
    }                                               \
  } while (0)

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_WITHOUT_LOG_MESSAGES_H_
