#include "tools/runtime/math/byte_kernels.h"

#include <atomic>

#if defined(__clang__)
#define TFCARVE_UNROLL _Pragma("unroll")
#else
#define TFCARVE_UNROLL _Pragma("GCC unroll 16")
#endif

// Always inlined, so that the linker has no copies to choose from.
#define TFCARVE_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__) || defined(__i386__)

#include <immintrin.h>

#include "tools/runtime/math/x86_features.h"

// 64-bit code has 16 vector registers, 32 with AVX-512; 32-bit code has 8.
#if defined(__x86_64__)
#define TFCARVE_ROWS(rows) rows
#else
#define TFCARVE_ROWS(rows) 2
#endif

namespace tfcarve {
namespace math {

// Pairs of 16-bit numbers are multiplied and added (pmaddwd). Multiplying bytes
// directly (pmaddubsw) would saturate.
namespace bytes_baseline {

typedef std::int16_t Left;
typedef std::int16_t Right;
typedef __m128i LeftVector;
typedef __m128i RightVector;
typedef int Sums __attribute__((vector_size(16)));
constexpr int kLanes = 4, kStep = 2, kGroups = 4;
constexpr int kTileRows = TFCARVE_ROWS(4), kTileVectors = 2;
constexpr int kMaxLeftShift = 255, kMinRightShift = 0, kMaxRightShift = 255;

TFCARVE_INLINE LeftVector LoadLeft(const Left* row) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
}

TFCARVE_INLINE RightVector LoadRight(const Right* panel) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(panel));
}

template <int kGroup>
TFCARVE_INLINE Sums Dot(Sums sums, LeftVector left, RightVector right) {
  const __m128i pair = _mm_shuffle_epi32(left, 0x55 * kGroup);
  return sums + reinterpret_cast<Sums>(_mm_madd_epi16(pair, right));
}

TFCARVE_INLINE Index SumLeft(const Left*, Index, std::uint32_t*) { return 0; }

// SSE2 has no signed products of 32 bits.
constexpr bool kHasHigh = false;
TFCARVE_INLINE Sums High(Sums sums, int) { return sums; }
TFCARVE_INLINE void StoreBytes(Sums, std::uint8_t*) {}

inline bool IsSupported() { return true; }

}  // namespace bytes_baseline

#define TFCARVE_TARGET __attribute__((target("avx2")))
namespace bytes_avx2 {

typedef std::int16_t Left;
typedef std::int16_t Right;
typedef __m256i LeftVector;
typedef __m256i RightVector;
typedef int Sums __attribute__((vector_size(32)));
typedef int LooseInt __attribute__((aligned(1), may_alias));
constexpr int kLanes = 8, kStep = 2, kGroups = 1;
constexpr int kTileRows = TFCARVE_ROWS(6), kTileVectors = 2;
constexpr int kMaxLeftShift = 255, kMinRightShift = 0, kMaxRightShift = 255;

TFCARVE_TARGET TFCARVE_INLINE LeftVector LoadLeft(const Left* row) {
  return _mm256_set1_epi32(*reinterpret_cast<const LooseInt*>(row));
}

TFCARVE_TARGET TFCARVE_INLINE RightVector LoadRight(const Right* panel) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(panel));
}

template <int kGroup>
TFCARVE_TARGET TFCARVE_INLINE Sums Dot(Sums sums, LeftVector left,
                                       RightVector right) {
  return sums + reinterpret_cast<Sums>(_mm256_madd_epi16(left, right));
}

TFCARVE_INLINE Index SumLeft(const Left*, Index, std::uint32_t*) { return 0; }

constexpr bool kHasHigh = true;

TFCARVE_TARGET TFCARVE_INLINE Sums High(Sums sums, int factor) {
  const __m256i left = reinterpret_cast<__m256i>(sums);
  const __m256i right = _mm256_set1_epi32(factor);
  const __m256i even = _mm256_mul_epi32(left, right);
  const __m256i odd = _mm256_mul_epi32(_mm256_srli_epi64(left, 32), right);
  return reinterpret_cast<Sums>(
      _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
}

TFCARVE_TARGET TFCARVE_INLINE void StoreBytes(Sums sums, std::uint8_t* to) {
  const __m256i all = reinterpret_cast<__m256i>(sums);
  const __m128i shorts = _mm_packs_epi32(_mm256_castsi256_si128(all),
                                         _mm256_extracti128_si256(all, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                   _mm_packus_epi16(shorts, shorts));
}

inline bool IsSupported() { return HasAvx2AndFma(); }

}  // namespace bytes_avx2
#undef TFCARVE_TARGET

// Products of four unsigned and signed bytes are added without saturation
// (vpdpbusd): the right operand is packed as bytes less 128.
#define TFCARVE_TARGET __attribute__((target("avx512f,avx512vnni")))
namespace bytes_vnni {

typedef std::uint8_t Left;
typedef std::int8_t Right;
typedef __m512i LeftVector;
typedef __m512i RightVector;
typedef int Sums __attribute__((vector_size(64)));
typedef int LooseInt __attribute__((aligned(1), may_alias));
constexpr int kLanes = 16, kStep = 4, kGroups = 1;
constexpr int kTileRows = TFCARVE_ROWS(8), kTileVectors = 2;
constexpr int kMaxLeftShift = 0, kMinRightShift = 128, kMaxRightShift = 128;

TFCARVE_TARGET TFCARVE_INLINE LeftVector LoadLeft(const Left* row) {
  return _mm512_set1_epi32(*reinterpret_cast<const LooseInt*>(row));
}

TFCARVE_TARGET TFCARVE_INLINE RightVector LoadRight(const Right* panel) {
  return _mm512_loadu_si512(panel);
}

template <int kGroup>
TFCARVE_TARGET TFCARVE_INLINE Sums Dot(Sums sums, LeftVector left,
                                       RightVector right) {
  return reinterpret_cast<Sums>(
      _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums), left, right));
}

TFCARVE_TARGET TFCARVE_INLINE Index SumLeft(const Left* row, Index end,
                                            std::uint32_t* sum) {
  const __m512i ones = _mm512_set1_epi32(0x01010101);
  __m512i sums = _mm512_setzero_si512();
  Index k = 0;
  for (; k + 64 <= end; k += 64) {
    sums = _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(row + k), ones);
  }
  const Sums all = reinterpret_cast<Sums>(sums);
  for (int i = 0; i < kLanes; ++i) *sum += all[i];
  return k;
}

constexpr bool kHasHigh = true;

TFCARVE_TARGET TFCARVE_INLINE Sums High(Sums sums, int factor) {
  const __m512i left = reinterpret_cast<__m512i>(sums);
  const __m512i right = _mm512_set1_epi32(factor);
  const __m512i even = _mm512_mul_epi32(left, right);
  const __m512i odd = _mm512_mul_epi32(_mm512_srli_epi64(left, 32), right);
  return reinterpret_cast<Sums>(
      _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd));
}

TFCARVE_TARGET TFCARVE_INLINE void StoreBytes(Sums sums, std::uint8_t* to) {
  const Sums raised = sums < 0 ? Sums{} : sums;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm512_cvtusepi32_epi8(reinterpret_cast<__m512i>(raised)));
}

inline bool IsSupported() { return HasAvx512Vnni(); }

}  // namespace bytes_vnni
#undef TFCARVE_TARGET

}  // namespace math
}  // namespace tfcarve

#define TFCARVE_ISA bytes_baseline
#define TFCARVE_NUMBER 0
#define TFCARVE_NAME "baseline"
#define TFCARVE_TARGET
#include "tools/runtime/math/byte_kernels_impl.h"

#define TFCARVE_ISA bytes_avx2
#define TFCARVE_NUMBER 1
#define TFCARVE_NAME "avx2"
#define TFCARVE_TARGET __attribute__((target("avx2")))
#include "tools/runtime/math/byte_kernels_impl.h"

#define TFCARVE_ISA bytes_vnni
#define TFCARVE_NUMBER 2
#define TFCARVE_NAME "vnni"
#define TFCARVE_TARGET __attribute__((target("avx512f,avx512vnni")))
#include "tools/runtime/math/byte_kernels_impl.h"

namespace tfcarve {
namespace math {
const ByteKernels* const kAllByteKernels[] = {&bytes_baseline::kKernels,
                                              &bytes_avx2::kKernels,
                                              &bytes_vnni::kKernels, nullptr};
}  // namespace math
}  // namespace tfcarve

#elif defined(__aarch64__) || defined(__ARM_NEON)

#include <arm_neon.h>

#include <cstddef>

namespace tfcarve {
namespace math {

TFCARVE_INLINE int32x4_t HighOfNeon(int32x4_t sums, int factor) {
  return vcombine_s32(
      vshrn_n_s64(vmull_n_s32(vget_low_s32(sums), factor), 32),
      vshrn_n_s64(vmull_n_s32(vget_high_s32(sums), factor), 32));
}

TFCARVE_INLINE void StoreBytesOfNeon(int32x4_t sums, std::uint8_t* to) {
  const int16x4_t shorts = vqmovn_s32(sums);
  const uint8x8_t bytes = vqmovun_s16(vcombine_s16(shorts, shorts));
  const std::uint32_t four = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
  __builtin_memcpy(to, &four, sizeof(four));
}

// 16-bit numbers are multiplied by an element of the left operand.
namespace bytes_neon {

typedef std::int16_t Left;
typedef std::int16_t Right;
typedef int16x4_t LeftVector;
typedef int16x4_t RightVector;
typedef int32x4_t Sums;
constexpr int kLanes = 4, kStep = 1, kGroups = 4;
#if defined(__aarch64__)
constexpr int kTileRows = 8, kTileVectors = 2;
#else
constexpr int kTileRows = 4, kTileVectors = 2;
#endif
constexpr int kMaxLeftShift = 255, kMinRightShift = 0, kMaxRightShift = 255;

TFCARVE_INLINE LeftVector LoadLeft(const Left* row) { return vld1_s16(row); }

TFCARVE_INLINE RightVector LoadRight(const Right* panel) {
  return vld1_s16(panel);
}

template <int kGroup>
TFCARVE_INLINE Sums Dot(Sums sums, LeftVector left, RightVector right) {
  return vmlal_lane_s16(sums, right, left, kGroup);
}

TFCARVE_INLINE Index SumLeft(const Left*, Index, std::uint32_t*) { return 0; }

constexpr bool kHasHigh = true;
TFCARVE_INLINE Sums High(Sums sums, int factor) {
  return HighOfNeon(sums, factor);
}
TFCARVE_INLINE void StoreBytes(Sums sums, std::uint8_t* to) {
  StoreBytesOfNeon(sums, to);
}

inline bool IsSupported() { return true; }

}  // namespace bytes_neon

}  // namespace math
}  // namespace tfcarve

#define TFCARVE_ISA bytes_neon
#define TFCARVE_NUMBER 0
#define TFCARVE_NAME "neon"
#define TFCARVE_TARGET
#include "tools/runtime/math/byte_kernels_impl.h"

#if defined(__aarch64__)

// The system's functions that return the features of a CPU. They are declared
// here because their headers are not needed for anything else.
#if defined(__APPLE__)
extern "C" int sysctlbyname(const char*, void*, std::size_t*, void*,
                            std::size_t);
#else
extern "C" unsigned long getauxval(unsigned long) noexcept;
#endif

namespace tfcarve {
namespace math {

// Products of four unsigned bytes are added (udot).
#define TFCARVE_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
namespace bytes_dotprod {

typedef std::uint8_t Left;
typedef std::uint8_t Right;
typedef uint8x16_t LeftVector;
typedef uint8x16_t RightVector;
typedef int32x4_t Sums;
constexpr int kLanes = 4, kStep = 4, kGroups = 4;
constexpr int kTileRows = 8, kTileVectors = 2;
constexpr int kMaxLeftShift = 0, kMinRightShift = 0, kMaxRightShift = 0;

TFCARVE_TARGET TFCARVE_INLINE LeftVector LoadLeft(const Left* row) {
  return vld1q_u8(row);
}

TFCARVE_TARGET TFCARVE_INLINE RightVector LoadRight(const Right* panel) {
  return vld1q_u8(panel);
}

template <int kGroup>
TFCARVE_TARGET TFCARVE_INLINE Sums Dot(Sums sums, LeftVector left,
                                       RightVector right) {
  return vreinterpretq_s32_u32(
      vdotq_laneq_u32(vreinterpretq_u32_s32(sums), right, left, kGroup));
}

TFCARVE_TARGET TFCARVE_INLINE Index SumLeft(const Left* row, Index end,
                                            std::uint32_t* sum) {
  uint32x4_t sums = vdupq_n_u32(0);
  Index k = 0;
  for (; k + 16 <= end; k += 16) {
    sums = vdotq_u32(sums, vld1q_u8(row + k), vdupq_n_u8(1));
  }
  *sum += vaddvq_u32(sums);
  return k;
}

constexpr bool kHasHigh = true;
TFCARVE_INLINE Sums High(Sums sums, int factor) {
  return HighOfNeon(sums, factor);
}
TFCARVE_INLINE void StoreBytes(Sums sums, std::uint8_t* to) {
  StoreBytesOfNeon(sums, to);
}

inline bool IsSupported() {
#if defined(__APPLE__)
  int value = 0;
  std::size_t size = sizeof(value);
  return sysctlbyname("hw.optional.arm.FEAT_DotProd", &value, &size, nullptr,
                      0) == 0 &&
         value != 0;
#else
  constexpr unsigned long kHwcap = 16, kDotProduct = 1ul << 20;
  return (getauxval(kHwcap) & kDotProduct) != 0;
#endif
}

}  // namespace bytes_dotprod
#undef TFCARVE_TARGET

}  // namespace math
}  // namespace tfcarve

#define TFCARVE_ISA bytes_dotprod
#define TFCARVE_NUMBER 0
#define TFCARVE_NAME "dotprod"
#define TFCARVE_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#include "tools/runtime/math/byte_kernels_impl.h"

#endif

namespace tfcarve {
namespace math {
const ByteKernels* const kAllByteKernels[] = {&bytes_neon::kKernels,
#if defined(__aarch64__)
                                              &bytes_dotprod::kKernels,
#endif
                                              nullptr};
}  // namespace math
}  // namespace tfcarve

#else
#error "tfcarve has no products of bytes for this CPU"
#endif

namespace tfcarve {
namespace math {

namespace {

// Bit i: whether the CPU supports kAllByteKernels[i]; 0: not yet known. The
// first are for all CPUs.
std::atomic<unsigned> supported{0};

// Reads the CPU's features only once: in a virtual machine, a cpuid
// instruction takes 20 microseconds.
unsigned Supported() {
  unsigned found = supported.load(std::memory_order_relaxed);
  if (found == 0) {
    for (int i = 0; kAllByteKernels[i] != nullptr; ++i) {
      if (kAllByteKernels[i]->is_supported()) found |= 1u << i;
    }
    supported.store(found, std::memory_order_relaxed);
  }
  return found;
}

}  // namespace

const ByteKernels& SelectedByteKernels() {
  const int number = SelectedInstructionSet();
  const unsigned found = Supported();
  const ByteKernels* best = kAllByteKernels[0];
  for (int i = 0; kAllByteKernels[i] != nullptr; ++i) {
    const ByteKernels* const each = kAllByteKernels[i];
    if (each->number <= number && (found >> i & 1) != 0) best = each;
  }
  return *best;
}

}  // namespace math
}  // namespace tfcarve
