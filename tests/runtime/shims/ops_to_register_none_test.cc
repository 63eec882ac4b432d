// A source of the core: no macro is defined, so nothing is selected.

#include "tools/runtime/shims/ops_to_register.h"
#include "tools/runtime/shims/selected.h"

static_assert(!SHOULD_REGISTER_OP("MatMul"), "no op");
static_assert(!SHOULD_REGISTER_OP(""), "no op with an empty name");
static_assert(!SHOULD_REGISTER_OP_KERNEL("MatMulOp<CPUDevice, float>"),
              "no kernel");
static_assert(!SHOULD_REGISTER_OP_KERNEL(""), "no kernel with an empty name");
static_assert(!SHOULD_REGISTER_OP_GRADIENT, "no gradient");

int main() { return 0; }
