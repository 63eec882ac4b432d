#include "tools/runtime/math/kernels.h"

#include "tools/runtime/math/instruction_sets.h"

#if defined(__clang__)
#define TFCARVE_UNROLL _Pragma("unroll")
#else
#define TFCARVE_UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__x86_64__) || defined(__i386__)

// 64-bit code has 16 vector registers, 32 with AVX-512; 32-bit code has 8.
#if defined(__x86_64__)
#define TFCARVE_SSE_ROWS 6
#define TFCARVE_AVX512_ROWS 8
#else
#define TFCARVE_SSE_ROWS 2
#define TFCARVE_AVX512_ROWS 2
#endif

#define TFCARVE_ISA baseline
#define TFCARVE_NUMBER 0
#define TFCARVE_TARGET
#define TFCARVE_LANES 4
#define TFCARVE_TILE_ROWS TFCARVE_SSE_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

#define TFCARVE_ISA avx2
#define TFCARVE_NUMBER 1
#define TFCARVE_TARGET __attribute__((target("avx2,fma")))
#define TFCARVE_LANES 8
#define TFCARVE_TILE_ROWS TFCARVE_SSE_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

#define TFCARVE_ISA avx512
#define TFCARVE_NUMBER 2
#define TFCARVE_TARGET __attribute__((target("avx512f")))
#define TFCARVE_LANES 16
#define TFCARVE_TILE_ROWS TFCARVE_AVX512_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

namespace tfcarve {
namespace math {
const Kernels* const kAllKernels[kInstructionSetCount] = {
    &baseline::kKernels, &avx2::kKernels, &avx512::kKernels};
#define TFCARVE_LOOPS(function) \
  {baseline::function, avx2::function, avx512::function}
}  // namespace math
}  // namespace tfcarve

#elif defined(__aarch64__) || defined(__ARM_NEON)

#include <arm_neon.h>

namespace tfcarve {
namespace math {

typedef float Quad __attribute__((vector_size(16)));

// Whether the loop for tiles of this many rows and two vectors is hand-written:
// with 16 registers, compilers spend as many instructions on moving pointers
// and vectors as on the product.
template <int kRows>
constexpr bool HasWholeTile() {
#if defined(__arm__)
  return kRows == 4;
#else
  return false;
#endif
}

// That loop: sums += the product of `end` bytes of each row, rounded down to
// whole vectors, and the panel, which it advances. Returns the number of bytes
// of each row that it used.
template <int kRows>
Index MultiplyWholeTile(const char* const (&)[kRows], Index, float**,
                        Quad (&)[kRows][2]);

#if defined(__arm__)
template <>
inline Index MultiplyWholeTile<4>(const char* const (&rows)[4], Index end,
                                  float** panel, Quad (&sums)[4][2]) {
  Index steps = end / 16;
  if (steps == 0) return 0;
  const Index used = steps * 16;
  const char *row0 = rows[0], *row1 = rows[1], *row2 = rows[2], *row3 = rows[3];
#define TFCARVE_STEP(d0, d1, d2, d3, element)                                \
  "vld1.32 {d8-d11}, [%[panel]]!\n"                                          \
  "vmla.f32 %q[s00], q4, " d0 element "\n vmla.f32 %q[s01], q5, " d0 element \
  "\n vmla.f32 %q[s10], q4, " d1 element                                     \
  "\n vmla.f32 %q[s11], q5, " d1 element                                     \
  "\n vmla.f32 %q[s20], q4, " d2 element                                     \
  "\n vmla.f32 %q[s21], q5, " d2 element                                     \
  "\n vmla.f32 %q[s30], q4, " d3 element                                     \
  "\n vmla.f32 %q[s31], q5, " d3 element "\n"
  asm volatile(
      "1:\n"
      "vld1.32 {d0-d1}, [%[row0]]!\n"
      "vld1.32 {d2-d3}, [%[row1]]!\n"
      "vld1.32 {d4-d5}, [%[row2]]!\n"
      "vld1.32 {d6-d7}, [%[row3]]!\n"
      // clang-format off
      TFCARVE_STEP("d0", "d2", "d4", "d6", "[0]")
      TFCARVE_STEP("d0", "d2", "d4", "d6", "[1]")
      TFCARVE_STEP("d1", "d3", "d5", "d7", "[0]")
      TFCARVE_STEP("d1", "d3", "d5", "d7", "[1]")
      // clang-format on
      "subs %[steps], %[steps], #1\n"
      "bne 1b\n"
      : [s00] "+w"(sums[0][0]), [s01] "+w"(sums[0][1]), [s10] "+w"(sums[1][0]),
        [s11] "+w"(sums[1][1]), [s20] "+w"(sums[2][0]), [s21] "+w"(sums[2][1]),
        [s30] "+w"(sums[3][0]), [s31] "+w"(sums[3][1]), [row0] "+r"(row0),
        [row1] "+r"(row1), [row2] "+r"(row2), [row3] "+r"(row3),
        [panel] "+r"(*panel), [steps] "+r"(steps)
      :
      : "cc", "memory", "q0", "q1", "q2", "q3", "q4", "q5");
#undef TFCARVE_STEP
  return used;
}
#endif

}  // namespace math
}  // namespace tfcarve

#define TFCARVE_ISA neon
#define TFCARVE_NUMBER 0
#define TFCARVE_TARGET
#define TFCARVE_LANES 4
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 1
#if defined(__aarch64__)
#define TFCARVE_TILE_ROWS 8
#else
#define TFCARVE_TILE_ROWS 4
#endif
#include "tools/runtime/math/kernels_impl.h"

namespace tfcarve {
namespace math {
const Kernels* const kAllKernels[kInstructionSetCount] = {&neon::kKernels};
#define TFCARVE_LOOPS(function) {neon::function}
}  // namespace math
}  // namespace tfcarve

#else
#error "tfcarve has no matrix products for this CPU"
#endif

namespace tfcarve {
namespace math {

const Map kExp[] = TFCARVE_LOOPS(kMapExp);
const Map kSigmoid[] = TFCARVE_LOOPS(kMapSigmoid);
const Map kTanh[] = TFCARVE_LOOPS(kMapTanh);
const Map kErf[] = TFCARVE_LOOPS(kMapErf);
const Map kSoftmax[] = TFCARVE_LOOPS(Softmax);
const Map kLogSoftmax[] = TFCARVE_LOOPS(LogSoftmax);
const DepthwiseLoop kDepthwise[] = TFCARVE_LOOPS(Depthwise);
const FinishRowLoop kFinishRow[] = TFCARVE_LOOPS(FinishRow);
const FinishRowsLoop kFinishRows[] = TFCARVE_LOOPS(FinishRows);
const LimitLoop kLimit[] = TFCARVE_LOOPS(LimitAll);
const PoolLoop kLargest[] = TFCARVE_LOOPS(Largest);
const PoolLoop kMean[] = TFCARVE_LOOPS(Mean);
const Combine kSum[] = TFCARVE_LOOPS(kCombineSum);
const Combine kDifference[] = TFCARVE_LOOPS(kCombineDifference);
const Combine kProduct[] = TFCARVE_LOOPS(kCombineProduct);
const Combine kSquaredDifference[] = TFCARVE_LOOPS(kCombineSquaredDifference);

const Kernels& SelectedKernels() {
  return *kAllKernels[SelectedInstructionSet()];
}

}  // namespace math
}  // namespace tfcarve
