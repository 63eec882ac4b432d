// The instruction sets of an x86 CPU, read with cpuid. The compilers' own
// function, __builtin_cpu_supports, adds 4.5 kB: a table of all CPUs.
//
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
// sections 14.3 (AVX, FMA), 14.7 (AVX2) and 15.2 (AVX-512): the CPU has the
// instructions, and the operating system saves the registers (XCR0).

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_X86_FEATURES_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_X86_FEATURES_H_

#include <cpuid.h>

#include <cstdint>

namespace tfcarve {
namespace math {

// What cpuid returns for a leaf and its subleaf 0; zeros if the CPU does not
// have the leaf.
struct CpuidLeaf {
  explicit CpuidLeaf(unsigned leaf) {
    if (!__get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx)) {
      eax = ebx = ecx = edx = 0;
    }
  }

  unsigned eax, ebx, ecx, edx;
};

inline bool HasBits(std::uint32_t value, std::uint32_t bits) {
  return (value & bits) == bits;
}

// The registers that the operating system saves.
inline std::uint32_t SavedRegisters() {
  constexpr std::uint32_t kOsxsave = 1 << 27;
  if (!HasBits(CpuidLeaf(1).ecx, kOsxsave)) return 0;
  std::uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

inline bool HasAvx2AndFma() {
  constexpr std::uint32_t kXmmAndYmm = 0x6, kFma = 1 << 12, kAvx = 1 << 28,
                          kAvx2 = 1 << 5;
  return HasBits(SavedRegisters(), kXmmAndYmm) &&
         HasBits(CpuidLeaf(1).ecx, kFma | kAvx) &&
         HasBits(CpuidLeaf(7).ebx, kAvx2);
}

// The foundation, AVX512F.
inline bool HasAvx512() {
  constexpr std::uint32_t kXmmToZmmAndMasks = 0xe6, kAvx512f = 1 << 16;
  return HasBits(SavedRegisters(), kXmmToZmmAndMasks) &&
         HasBits(CpuidLeaf(7).ebx, kAvx512f);
}

inline bool HasAvx512Vnni() {
  constexpr std::uint32_t kAvx512Vnni = 1 << 11;
  return HasAvx512() && HasBits(CpuidLeaf(7).ecx, kAvx512Vnni);
}

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_X86_FEATURES_H_
