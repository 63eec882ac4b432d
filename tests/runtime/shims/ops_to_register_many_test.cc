// 2,000 classes whose names differ only in the last characters, the worst case
// for the compiler. TensorFlow's own header fails above 512 names (g++).

#define TEN(x) \
  x "0", x "1", x "2", x "3", x "4", x "5", x "6", x "7", x "8", x "9"
#define HUNDRED(x)                                                        \
  TEN(x "0"), TEN(x "1"), TEN(x "2"), TEN(x "3"), TEN(x "4"), TEN(x "5"), \
      TEN(x "6"), TEN(x "7"), TEN(x "8"), TEN(x "9")
#define THOUSAND(x)                                                   \
  HUNDRED(x "0"), HUNDRED(x "1"), HUNDRED(x "2"), HUNDRED(x "3"),     \
      HUNDRED(x "4"), HUNDRED(x "5"), HUNDRED(x "6"), HUNDRED(x "7"), \
      HUNDRED(x "8"), HUNDRED(x "9")
#define PREFIX "BinaryOp<CPUDevice, functor::not_equal_to<Eigen::half>, "

#define TFCARVE_KERNEL_CLASSES THOUSAND(PREFIX "0"), THOUSAND(PREFIX "1")
#define TFCARVE_OPS THOUSAND("Op0"), THOUSAND("Op1"), "SymbolicGradient"

#include "tools/runtime/shims/ops_to_register.h"
#include "tools/runtime/shims/selected.h"

static_assert(SHOULD_REGISTER_OP_KERNEL(PREFIX "0000"), "the first");
static_assert(SHOULD_REGISTER_OP_KERNEL(PREFIX "1999"), "the last");
static_assert(!SHOULD_REGISTER_OP_KERNEL(PREFIX "2000"), "one more");
static_assert(!SHOULD_REGISTER_OP_KERNEL(PREFIX), "the prefix alone");
static_assert(SHOULD_REGISTER_OP("Op1999"), "the last op");
static_assert(!SHOULD_REGISTER_OP("Op2000"), "one more op");
static_assert(SHOULD_REGISTER_OP_GRADIENT, "SymbolicGradient is listed");

int main() { return 0; }
