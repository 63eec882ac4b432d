#include "tools/runtime/math/kernels.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__arm__)
#include <arm_neon.h>
#endif

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
#define TFCARVE_NAME "baseline"
#define TFCARVE_TARGET
#define TFCARVE_SUPPORTED true
#define TFCARVE_LANES 4
#define TFCARVE_TILE_ROWS TFCARVE_SSE_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

#define TFCARVE_ISA avx2
#define TFCARVE_NAME "avx2"
#define TFCARVE_TARGET __attribute__((target("avx2,fma")))
#define TFCARVE_SUPPORTED \
  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define TFCARVE_LANES 8
#define TFCARVE_TILE_ROWS TFCARVE_SSE_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

#define TFCARVE_ISA avx512
#define TFCARVE_NAME "avx512"
#define TFCARVE_TARGET __attribute__((target("avx512f")))
#define TFCARVE_SUPPORTED (__builtin_cpu_supports("avx512f") != 0)
#define TFCARVE_LANES 16
#define TFCARVE_TILE_ROWS TFCARVE_AVX512_ROWS
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 0
#include "tools/runtime/math/kernels_impl.h"

namespace tfcarve {
namespace math {
const Kernels* const kAllKernels[] = {&baseline::kKernels, &avx2::kKernels,
                                      &avx512::kKernels, nullptr};
}  // namespace math
}  // namespace tfcarve

#elif defined(__aarch64__) || defined(__ARM_NEON)

#define TFCARVE_ISA neon
#define TFCARVE_NAME "neon"
#define TFCARVE_TARGET
#define TFCARVE_SUPPORTED true
#define TFCARVE_LANES 4
#define TFCARVE_TILE_VECTORS 2
#define TFCARVE_BY_ELEMENT 1
#if defined(__aarch64__)
// 32 registers, and a fused multiply-add by an element.
#define TFCARVE_TILE_ROWS 8
#define TFCARVE_MULTIPLY_ADD(sum, right, left, q) \
  ((sum) + (right) * (left)[q])
#else
// 16 registers. Compilers use them for a product only where they may flush
// denormal numbers: NEON does so, here in any case.
#define TFCARVE_TILE_ROWS 4
#define TFCARVE_MULTIPLY_ADD(sum, right, left, q)                      \
  vmlaq_lane_f32(sum, right,                                           \
                 (q) < 2 ? vget_low_f32(left) : vget_high_f32(left), \
                 (q) % 2)
#endif
#include "tools/runtime/math/kernels_impl.h"

namespace tfcarve {
namespace math {
const Kernels* const kAllKernels[] = {&neon::kKernels, nullptr};
}  // namespace math
}  // namespace tfcarve

#else
#error "tfcarve has no products of matrices for this CPU"
#endif

namespace tfcarve {
namespace math {
namespace {

// Null until it is needed first.
std::atomic<const Kernels*> selected{nullptr};

// Null where this machine can't run what the name stands for.
const Kernels* Find(const char* name) {
  const Kernels* best = nullptr;
  for (const Kernels* const* each = kAllKernels; *each != nullptr; ++each) {
    const bool is_named = *name == '\0' || std::strcmp(name, (*each)->name) == 0;
    if (is_named && (*each)->is_supported()) best = *each;
  }
  return best;
}

}  // namespace

bool SelectKernels(const char* name) {
  const Kernels* found = Find(name);
  if (found != nullptr) selected.store(found, std::memory_order_relaxed);
  return found != nullptr;
}

const Kernels& SelectedKernels() {
  const Kernels* kernels = selected.load(std::memory_order_relaxed);
  if (kernels == nullptr) {
    const char* name = std::getenv("TFCARVE_CPU");
    kernels = name == nullptr ? nullptr : Find(name);
    if (kernels == nullptr) kernels = Find("");
    selected.store(kernels, std::memory_order_relaxed);
  }
  return *kernels;
}

}  // namespace math
}  // namespace tfcarve
