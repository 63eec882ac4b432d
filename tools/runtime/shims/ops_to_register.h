// The ops_to_register.h of every build, which TensorFlow's selective
// registration includes. It does not contain the selection, so that it never
// changes and can be part of a precompiled header: each unit that registers
// includes selected.h after its own lists.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_OPS_TO_REGISTER_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_OPS_TO_REGISTER_H_

namespace tfcarve {

// Whether two names are equal except for spaces: #__VA_ARGS__ preserves the
// spaces of the source, other tools write them differently.
constexpr bool SameName(const char* a, const char* b) {
  while (true) {
    if (*a != *b) {
      while (*a == ' ') ++a;
      while (*b == ' ') ++b;
      if (*a != *b) return false;
    }
    if (*a == '\0') return true;
    ++a;
    ++b;
  }
}

// A loop instead of a recursion, so that the compiler's limit of the template
// depth (512 names) does not apply. The first name is a filler, because an
// array cannot be empty.
template <decltype(sizeof(0)) kSize>
constexpr bool Contains(const char* const (&names)[kSize], const char* name) {
  for (decltype(sizeof(0)) i = 1; i < kSize; ++i) {
    if (SameName(names[i], name)) return true;
  }
  return false;
}

}  // namespace tfcarve

// Whether the op is to be registered.
#define SHOULD_REGISTER_OP(op) (::tfcarve::Contains(::tfcarve::kOps, op))

// Whether kernels of the class with this text are to be registered.
#define SHOULD_REGISTER_OP_KERNEL(clz) \
  (::tfcarve::Contains(::tfcarve::kKernelClasses, clz))

// Whether gradient functions are to be registered. Only SymbolicGradient looks
// them up, so a unit that contains them lists that op.
#define SHOULD_REGISTER_OP_GRADIENT SHOULD_REGISTER_OP("SymbolicGradient")

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_OPS_TO_REGISTER_H_
