// Vector extensions of GCC and clang with the vectors that all CPUs of a
// platform have.

#include "tools/runtime/math/byte_loops.h"

#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace tfcarve {
namespace math {
namespace {

typedef std::uint8_t Bytes
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::int32_t Ints
    __attribute__((vector_size(16), aligned(4), may_alias));

typedef std::uint8_t Eight
    __attribute__((vector_size(8), aligned(1), may_alias));
typedef std::uint16_t Shorts __attribute__((vector_size(16)));

constexpr Index kBytes = 16;
constexpr Index kShorts = 8;
constexpr Index kInts = 4;

template <typename T>
T Least(T a, T b) {
  return a < b ? a : b;
}

template <typename T>
T Largest(T a, T b) {
  return a > b ? a : b;
}

}  // namespace

void LimitBytes(Index size, const std::uint8_t* in, std::uint8_t lower,
                std::uint8_t upper, std::uint8_t* out) {
  const Bytes least = lower - Bytes{};
  const Bytes most = upper - Bytes{};
  Index i = 0;
  for (; i + kBytes <= size; i += kBytes) {
    const Bytes raised =
        Largest(*reinterpret_cast<const Bytes*>(in + i), least);
    *reinterpret_cast<Bytes*>(out + i) = Least(raised, most);
  }
  for (; i < size; ++i) out[i] = Least(Largest(in[i], lower), upper);
}

void FindRange(Index size, const std::int32_t* in, std::int32_t* lower,
               std::int32_t* upper) {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  Index i = 0;
  if (size >= 2 * kInts) {
    // Two pairs, because each comparison waits for the one before.
    Ints some_least[2] = {least - Ints{}, least - Ints{}};
    Ints some_most[2] = {most - Ints{}, most - Ints{}};
    for (; i + 2 * kInts <= size; i += 2 * kInts) {
      for (int j = 0; j < 2; ++j) {
        const Ints next = *reinterpret_cast<const Ints*>(in + i + j * kInts);
        some_least[j] = Least(some_least[j], next);
        some_most[j] = Largest(some_most[j], next);
      }
    }
    for (int j = 0; j < 2; ++j) {
      for (Index lane = 0; lane < kInts; ++lane) {
        least = Least<std::int32_t>(least, some_least[j][lane]);
        most = Largest<std::int32_t>(most, some_most[j][lane]);
      }
    }
  }
  for (; i < size; ++i) {
    least = Least(least, in[i]);
    most = Largest(most, in[i]);
  }
  *lower = least;
  *upper = most;
}

void AddColumns(Index rows, Index columns, const std::uint8_t* in,
                const std::int32_t (&table)[256], const std::int32_t* added,
                std::int32_t* out) {
  for (Index i = 0; i < rows; ++i, in += columns, out += columns) {
    for (Index j = 0; j < columns; ++j) {
      out[j] = static_cast<std::uint32_t>(table[in[j]]) + added[j];
    }
  }
}

void AddTables(Index size, const std::uint8_t* a,
               const std::int32_t (&a_table)[256], const std::uint8_t* b,
               const std::int32_t (&b_table)[256], std::int32_t* out) {
  for (Index i = 0; i < size; ++i) {
    out[i] = static_cast<std::uint32_t>(a_table[a[i]]) + b_table[b[i]];
  }
}

void LargestBytes(Index taps, const std::uint8_t* const* pixels, Index channels,
                  std::uint8_t* out) {
  Index c = 0;
  for (; c + kBytes <= channels; c += kBytes) {
    Bytes largest = *reinterpret_cast<const Bytes*>(pixels[0] + c);
    for (Index t = 1; t < taps; ++t) {
      largest =
          Largest(largest, *reinterpret_cast<const Bytes*>(pixels[t] + c));
    }
    *reinterpret_cast<Bytes*>(out + c) = largest;
  }
  for (; c < channels; ++c) {
    std::uint8_t largest = pixels[0][c];
    for (Index t = 1; t < taps; ++t) largest = Largest(largest, pixels[t][c]);
    out[c] = largest;
  }
}

void MeanOfBytes(Index taps, const std::uint8_t* const* pixels, Index channels,
                 std::uint8_t* out) {
  Index c = 0;
  // With more taps, sums of 16 bits and products of floats would not be exact.
  if (taps <= 256) {
    const float factor = 1.0f / taps;
    for (; c + kShorts <= channels; c += kShorts) {
      Shorts sums = {};
      for (Index t = 0; t < taps; ++t) {
        sums += __builtin_convertvector(
            *reinterpret_cast<const Eight*>(pixels[t] + c), Shorts);
      }
      // Half of a unit keeps the product of a multiple of `taps` from being
      // rounded below its quotient.
      for (Index i = 0; i < kShorts; ++i) {
        out[c + i] = static_cast<int>((sums[i] + 0.5f) * factor);
      }
    }
  }
  for (; c < channels; ++c) {
    std::uint32_t sum = 0;
    for (Index t = 0; t < taps; ++t) sum += pixels[t][c];
    out[c] = sum / taps;
  }
}

void PackFilters(Index taps, const std::int8_t* filters, Index channels,
                 std::int16_t* packed) {
  for (Index t = 0; t < taps + taps % 2; ++t) {
    std::int16_t* const to = packed + t / 2 * channels * 2 + t % 2;
    for (Index c = 0; c < channels; ++c) {
      to[2 * c] = t < taps ? filters[t * channels + c] : 0;
    }
  }
}

void FilterBytes(Index taps, const std::uint8_t* const* pixels,
                 const std::int16_t* packed, const std::int32_t* initial,
                 Index channels, std::int32_t* out) {
  Index c = 0;
  for (; c + kShorts <= channels; c += kShorts) {
    const std::int16_t* filters = packed + 2 * c;
#if defined(__SSE2__)
    const __m128i zeros = _mm_setzero_si128();
    const auto load = [](const std::int32_t* from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    };
    __m128i low = load(initial + c), high = load(initial + c + kInts);
    for (Index t = 0; t < taps; t += 2, filters += 2 * channels) {
      const Index next = t + 1 < taps ? t + 1 : t;
      // The bytes of both taps alternate, and so do the filters.
      const __m128i bytes = _mm_unpacklo_epi8(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels[t] + c)),
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels[next] + c)));
      const auto* const by = reinterpret_cast<const __m128i*>(filters);
      low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi8(bytes, zeros),
                                              _mm_loadu_si128(by)));
      high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi8(bytes, zeros),
                                                _mm_loadu_si128(by + 1)));
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + c), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + c + kInts), high);
#elif defined(__ARM_NEON)
    int32x4_t low = vld1q_s32(initial + c);
    int32x4_t high = vld1q_s32(initial + c + kInts);
    for (Index t = 0; t < taps; t += 2, filters += 2 * channels) {
      const Index next = t + 1 < taps ? t + 1 : t;
      const int16x8x2_t by = vld2q_s16(filters);
      const int16x8_t a =
          vreinterpretq_s16_u16(vmovl_u8(vld1_u8(pixels[t] + c)));
      const int16x8_t b =
          vreinterpretq_s16_u16(vmovl_u8(vld1_u8(pixels[next] + c)));
      low = vmlal_s16(low, vget_low_s16(a), vget_low_s16(by.val[0]));
      high = vmlal_s16(high, vget_high_s16(a), vget_high_s16(by.val[0]));
      low = vmlal_s16(low, vget_low_s16(b), vget_low_s16(by.val[1]));
      high = vmlal_s16(high, vget_high_s16(b), vget_high_s16(by.val[1]));
    }
    vst1q_s32(out + c, low);
    vst1q_s32(out + c + kInts, high);
#else
    break;
#endif
  }
  for (; c < channels; ++c) {
    std::uint32_t sum = initial[c];
    for (Index t = 0; t < taps; ++t) {
      sum += pixels[t][c] * packed[(t / 2 * channels + c) * 2 + t % 2];
    }
    out[c] = sum;
  }
}

}  // namespace math
}  // namespace tfcarve
