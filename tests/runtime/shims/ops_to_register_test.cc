// A unit that selects some names. All assertions are static: if it compiles, it
// passes.

#define TFCARVE_KERNEL_CLASSES \
  "BiasOp<CPUDevice, float>", "MatMulOp<CPUDevice, float>", "Quoted\"Name\\"
#define TFCARVE_OPS "BiasAdd", "MatMul",

#include "tools/runtime/shims/ops_to_register.h"

#include "tools/runtime/shims/selected.h"

static_assert(SHOULD_REGISTER_OP("BiasAdd"), "the first op");
static_assert(SHOULD_REGISTER_OP("MatMul"), "the last op, before a comma");
static_assert(!SHOULD_REGISTER_OP("Relu"), "an op that is not listed");
static_assert(!SHOULD_REGISTER_OP("BiasAdd2"), "a longer name");
static_assert(!SHOULD_REGISTER_OP("BiasAd"), "a shorter name");
static_assert(!SHOULD_REGISTER_OP(""), "the array's filler is not an op");
static_assert(!SHOULD_REGISTER_OP("BiasOp<CPUDevice, float>"),
              "a class is not an op");

#define STRINGIFY(...) #__VA_ARGS__
static_assert(SHOULD_REGISTER_OP_KERNEL(STRINGIFY(BiasOp<CPUDevice, float>)),
              "the text that REGISTER_KERNEL_BUILDER has");
static_assert(SHOULD_REGISTER_OP_KERNEL("BiasOp< CPUDevice,float >"),
              "spaces do not matter");
static_assert(SHOULD_REGISTER_OP_KERNEL("Quoted\"Name\\"), "escapes");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasOp<CPUDevice, double>"),
              "another type");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasOp<CPUDevice, float>>"),
              "one more character");
static_assert(!SHOULD_REGISTER_OP_KERNEL("BiasAdd"), "an op is not a class");
static_assert(!SHOULD_REGISTER_OP_KERNEL(""), "the filler is not a class");

static_assert(!SHOULD_REGISTER_OP_GRADIENT, "SymbolicGradient is not listed");

// op_kernel.h does this for a system kernel whose name is not a constant.
extern const char* const kNotConstant;
static_assert(true || SHOULD_REGISTER_OP(kNotConstant), "system kernels");

int main() { return 0; }
