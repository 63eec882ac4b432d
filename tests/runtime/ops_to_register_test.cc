// A unit that selects some names. All is asserted at compile time: what
// compiles has passed.

#define TFCARVE_KERNEL_CLASSES \
  "BiasOp<CPUDevice, float>", "MatMulOp<CPUDevice, float>", "Quoted\"Name\\"
#define TFCARVE_OPS "BiasAdd", "MatMul",

#include "tools/runtime/ops_to_register.h"

#include "tools/runtime/selected.h"

static_assert(SHOULD_REGISTER_OP("BiasAdd"), "the first op");
static_assert(SHOULD_REGISTER_OP("MatMul"), "the last op, before a comma");
static_assert(!SHOULD_REGISTER_OP("Relu"), "an op that is not listed");
static_assert(!SHOULD_REGISTER_OP("BiasAdd2"), "a longer name");
static_assert(!SHOULD_REGISTER_OP("BiasAd"), "a shorter name");
static_assert(!SHOULD_REGISTER_OP(""), "the array's filler is no op");
static_assert(!SHOULD_REGISTER_OP("BiasOp<CPUDevice, float>"),
              "a class is no op");

#define STRINGIFY(...) #__VA_ARGS__
static_assert(SHOULD_REGISTER_OP_KERNEL(STRINGIFY(BiasOp<CPUDevice, float>)),
              "as REGISTER_KERNEL_BUILDER asks");
static_assert(SHOULD_REGISTER_OP_KERNEL("BiasOp< CPUDevice,float >"),
              "spaces do not matter");
static_assert(SHOULD_REGISTER_OP_KERNEL("Quoted\"Name\\"), "escapes");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasOp<CPUDevice, double>"),
              "another type");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasOp<CPUDevice, float>>"),
              "one more character");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasAdd"), "an op is no class");
static_assert(!SHOULD_REGISTER_OP_KERNEL(""), "the filler is no class");

static_assert(!SHOULD_REGISTER_OP_GRADIENT, "SymbolicGradient is not listed");

// As op_kernel.h asks for a system kernel whose name is no constant.
extern const char* const kNotConstant;
static_assert(true || SHOULD_REGISTER_OP(kNotConstant), "system kernels");

int main() { return 0; }
