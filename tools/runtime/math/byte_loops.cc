// Vector extensions of GCC and clang with the vectors that all CPUs of a
// platform have.

#include "tools/runtime/math/byte_loops.h"

#include <limits>

namespace tfcarve {
namespace math {
namespace {

typedef std::uint8_t Bytes
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::int32_t Ints
    __attribute__((vector_size(16), aligned(4), may_alias));

typedef std::uint8_t Eight
    __attribute__((vector_size(8), aligned(1), may_alias));
typedef std::int8_t SignedEight
    __attribute__((vector_size(8), aligned(1), may_alias));
typedef std::uint16_t Shorts __attribute__((vector_size(16)));
typedef std::int16_t SignedShorts __attribute__((vector_size(16)));
typedef std::int16_t SignedFour __attribute__((vector_size(8)));
// Sums of them wrap.
typedef std::uint32_t UnsignedInts
    __attribute__((vector_size(16), aligned(4), may_alias));

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

void FilterBytes(Index taps, const std::uint8_t* const* pixels,
                 std::uint8_t zero, const std::int8_t* filter, Index channels,
                 std::int32_t* out) {
  const std::int16_t subtracted = zero;
  Index c = 0;
  for (; c + kShorts <= channels; c += kShorts) {
    UnsignedInts low = {}, high = {};
    for (Index t = 0; t < taps; ++t) {
      const SignedShorts values =
          __builtin_convertvector(
              *reinterpret_cast<const Eight*>(pixels[t] + c), SignedShorts) -
          subtracted;
      // A product of at most 255 and at most 128 has 16 bits.
      const SignedShorts products =
          values *
          __builtin_convertvector(
              *reinterpret_cast<const SignedEight*>(filter + t * channels + c),
              SignedShorts);
      const SignedFour first =
          __builtin_shufflevector(products, products, 0, 1, 2, 3);
      const SignedFour second =
          __builtin_shufflevector(products, products, 4, 5, 6, 7);
      low += __builtin_convertvector(first, UnsignedInts);
      high += __builtin_convertvector(second, UnsignedInts);
    }
    *reinterpret_cast<UnsignedInts*>(out + c) = low;
    *reinterpret_cast<UnsignedInts*>(out + c + kInts) = high;
  }
  for (; c < channels; ++c) {
    std::uint32_t sum = 0;
    for (Index t = 0; t < taps; ++t) {
      sum += (pixels[t][c] - zero) * filter[t * channels + c];
    }
    out[c] = sum;
  }
}

}  // namespace math
}  // namespace tfcarve
