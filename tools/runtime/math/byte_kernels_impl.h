// The loops of byte_kernels.h for one instruction set. byte_kernels.cc includes
// this file once for each, after defining in the namespace TFCARVE_ISA:
//
//   Left, Right       the types of packed elements
//   LeftVector, RightVector, Sums   vectors, as they are multiplied
//   kLanes, kStep     elements of Sums, and adjacent rows of a group
//   kGroups           groups of elements in a LeftVector
//   kTileRows, kTileVectors         the tile that fits into the registers
//   kMaxLeftShift, kMinRightShift, kMaxRightShift   see ByteKernels
//   LoadLeft(row)     the next kGroups * kStep elements of a row
//   LoadRight(panel)  the next kLanes * kStep elements of a panel
//   Dot<group>(sums, left, right)   adds the products of a group
//   SumLeft(row, end, &sum)         adds elements before `end` to the sum,
//                                   returns the first remaining one
//   kHasHigh          whether there are the next two functions
//   High(sums, factor)              the upper halves of the products
//   StoreBytes(sums, to)            limits integers of 16 bits to bytes
//   IsSupported()     whether this machine can run it
//
// and the macros TFCARVE_ISA, TFCARVE_NUMBER, TFCARVE_NAME and TFCARVE_TARGET,
// the function attribute that enables the instruction set.
//
// This file must not call inline functions of other headers, except functions
// that are always inlined: the linker keeps one copy of an inline function,
// possibly a copy that the machine cannot run.

namespace tfcarve {
namespace math {
namespace TFCARVE_ISA {

typedef Sums LooseSums __attribute__((aligned(4), may_alias));

constexpr int kUnit = kGroups * kStep;

// Adds the products of one group of each row of a LeftVector.
template <int kGroup, int kRows, int kVectors>
TFCARVE_TARGET inline __attribute__((always_inline)) void AddGroup(
    const LeftVector (&left)[kRows], const Right** panel,
    Sums (&sums)[kRows][kVectors]) {
  if constexpr (kGroup < kGroups) {
    RightVector right[kVectors];
    TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
      right[j] = LoadRight(*panel + j * (kLanes * kStep));
    }
    *panel += kVectors * kLanes * kStep;
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
        sums[i][j] = Dot<kGroup>(sums[i][j], left[i], right[j]);
      }
    }
  }
}

// Sums of 32 bits, which wrap around like gemmlowp's sums.
typedef std::uint32_t Wrapping __attribute__((vector_size(sizeof(Sums))));

template <int kRows, int kVectors>
TFCARVE_TARGET void Tile(const ByteTileWork& work) {
  const Left* rows[kRows];
  TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
    rows[i] = static_cast<const Left*>(work.left) + i * work.left_stride;
  }
  const Right* panel = static_cast<const Right*>(work.panel);
  Sums sums[kRows][kVectors] = {};
  const Index depth = work.depth;
  for (Index k = 0; k < depth; k += kUnit) {
    LeftVector left[kRows];
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      left[i] = LoadLeft(rows[i] + k);
    }
    AddGroup<0>(left, &panel, sums);
    AddGroup<1>(left, &panel, sums);
    AddGroup<2>(left, &panel, sums);
    AddGroup<3>(left, &panel, sums);
  }
  std::int32_t* const c = work.c;
  const bool accumulate = work.accumulate;
  TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
    const Sums of_columns =
        *reinterpret_cast<const LooseSums*>(work.column_added + j * kLanes);
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      LooseSums* const to =
          reinterpret_cast<LooseSums*>(c + i * work.c_stride + j * kLanes);
      Wrapping all = (Wrapping)sums[i][j] + (Wrapping)of_columns +
                     static_cast<std::uint32_t>(work.row_added[i]);
      if (accumulate) all += (Wrapping)*to;
      *to = (Sums)all;
    }
  }
}

typedef std::uint8_t Eight __attribute__((vector_size(8)));
typedef std::uint8_t LooseEight
    __attribute__((vector_size(8), aligned(1), may_alias));
typedef std::uint8_t Sixteen __attribute__((vector_size(16)));
typedef std::uint8_t LooseSixteen
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::uint16_t Shorts __attribute__((vector_size(16)));
typedef std::uint16_t LooseShorts
    __attribute__((vector_size(16), aligned(1), may_alias));

TFCARVE_TARGET inline Eight LoadEight(const std::uint8_t* from) {
  return *reinterpret_cast<const LooseEight*>(from);
}

// Alternating elements.
TFCARVE_TARGET inline Sixteen Zip(Eight a, Eight b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13,
                                 6, 14, 7, 15);
}

TFCARVE_TARGET void PackLeft(Index length, const std::uint8_t* from, int shift,
                             void* to) {
  Left* const out = static_cast<Left*>(to);
  Index k = 0;
  if constexpr (sizeof(Left) == 1) {
    if (length >= 16) {
      for (; k + 16 <= length; k += 16) {
        *reinterpret_cast<LooseSixteen*>(out + k) =
            *reinterpret_cast<const LooseSixteen*>(from + k);
      }
      // The last vector may overlap the one before.
      *reinterpret_cast<LooseSixteen*>(out + length - 16) =
          *reinterpret_cast<const LooseSixteen*>(from + length - 16);
      return;
    }
  } else {
    const Shorts all = static_cast<std::uint16_t>(shift) - Shorts{};
    for (; k + 8 <= length; k += 8) {
      *reinterpret_cast<LooseShorts*>(out + k) =
          __builtin_convertvector(LoadEight(from + k), Shorts) - all;
    }
  }
  for (; k < length; ++k) out[k] = from[k] - shift;
}

TFCARVE_TARGET std::uint32_t Sum(Index length, const void* row) {
  const Left* const elements = static_cast<const Left*>(row);
  std::uint32_t sum = 0;
  for (Index k = SumLeft(elements, length, &sum); k < length; ++k) {
    sum += elements[k];
  }
  return sum;
}

// Packs a group of rows of eight columns.
TFCARVE_TARGET inline void PackEight(const std::uint8_t* from, Index stride,
                                     int shift, Right* to) {
  if constexpr (kStep == 4) {
    const Shorts first = reinterpret_cast<Shorts>(
        Zip(LoadEight(from), LoadEight(from + stride)));
    const Shorts second = reinterpret_cast<Shorts>(
        Zip(LoadEight(from + 2 * stride), LoadEight(from + 3 * stride)));
    const Sixteen all = static_cast<std::uint8_t>(shift) - Sixteen{};
    Sixteen low = reinterpret_cast<Sixteen>(
        __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    Sixteen high = reinterpret_cast<Sixteen>(
        __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
    *reinterpret_cast<LooseSixteen*>(to) = low - all;
    *reinterpret_cast<LooseSixteen*>(to + 16) = high - all;
  } else {
    const Shorts all = static_cast<std::uint16_t>(shift) - Shorts{};
    if constexpr (kStep == 2) {
      const Sixteen pairs = Zip(LoadEight(from), LoadEight(from + stride));
      const Eight low =
          __builtin_shufflevector(pairs, pairs, 0, 1, 2, 3, 4, 5, 6, 7);
      const Eight high =
          __builtin_shufflevector(pairs, pairs, 8, 9, 10, 11, 12, 13, 14, 15);
      *reinterpret_cast<LooseShorts*>(to) =
          __builtin_convertvector(low, Shorts) - all;
      *reinterpret_cast<LooseShorts*>(to + 8) =
          __builtin_convertvector(high, Shorts) - all;
    } else {
      *reinterpret_cast<LooseShorts*>(to) =
          __builtin_convertvector(LoadEight(from), Shorts) - all;
    }
  }
}

TFCARVE_TARGET void PackRight(Index depth, const std::uint8_t* from,
                              Index stride, bool is_transposed, Index columns,
                              Index width, int shift, void* to) {
  // Rows to prefetch ahead: consecutive rows are too far apart for the CPU's
  // prefetcher.
  constexpr Index kAhead = 16;
  Right* out = static_cast<Right*>(to);
  const Index row = is_transposed ? 1 : stride;
  const Index column = is_transposed ? stride : 1;
  const Index padded = (depth + kUnit - 1) / kUnit * kUnit;
  for (Index k = 0; k < padded; k += kStep, out += width * kStep) {
    const std::uint8_t* const group = from + k * row;
    Index j = 0;
    if (!is_transposed && k + kStep <= depth) {
      for (int i = 0; i < kStep; ++i) {
        __builtin_prefetch(group + (kAhead + i) * stride);
      }
      for (; j + 8 <= columns; j += 8) {
        PackEight(group + j, stride, shift, out + j * kStep);
      }
    }
    for (; j < width; ++j) {
      for (Index i = 0; i < kStep; ++i) {
        const bool is_inside = j < columns && k + i < depth;
        out[j * kStep + i] = static_cast<Right>(
            is_inside ? group[i * row + j * column] - shift : 0);
      }
    }
  }
}

// Returns the upper half of the product with `scale`, plus `added`, without the
// lower 16 bits.
TFCARVE_TARGET inline std::int64_t Requantized(std::int32_t sum,
                                               std::int64_t scale,
                                               std::int64_t added) {
  const std::int64_t product =
      static_cast<std::uint64_t>(sum) * static_cast<std::uint64_t>(scale);
  return ((product >> 32) + added) >> 16;
}

TFCARVE_TARGET void Requantize(Index size, const std::int32_t* in,
                               std::int64_t scale, std::int64_t added,
                               std::uint8_t* out) {
  Index i = 0;
  // Sums of smaller terms have 32 bits, and the limited upper half decides
  // whether the result is within a byte.
  constexpr std::int32_t kLimit = 1 << 30;
  if (kHasHigh && added >= -kLimit / 2 && added <= kLimit / 2) {
    // scale = high * 2^32 + low.
    const std::int32_t low = static_cast<std::uint32_t>(scale);
    const std::int32_t high = static_cast<std::uint32_t>((scale - low) >> 32);
    const Sums least = -kLimit - Sums{};
    const Sums most = kLimit - Sums{};
    for (; i + kLanes <= size; i += kLanes) {
      const Sums sums = *reinterpret_cast<const LooseSums*>(in + i);
      Sums upper = (Sums)((Wrapping)High(sums, low) +
                          (Wrapping)sums * static_cast<std::uint32_t>(high));
      upper = upper < least ? least : upper;
      upper = upper > most ? most : upper;
      StoreBytes((upper + static_cast<std::int32_t>(added)) >> 16, out + i);
    }
  }
  for (; i < size; ++i) {
    const std::int64_t value = Requantized(in[i], scale, added);
    out[i] = value < 0 ? 0 : value > 255 ? 255 : value;
  }
}

TFCARVE_TARGET void ShiftRight(Index size, const std::int32_t* in,
                               const std::int32_t* shifts, std::int32_t* out) {
  const Sums least = {};
  const Sums most = 31 - Sums{};
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    Sums by = *reinterpret_cast<const LooseSums*>(shifts + i);
    by = by < least ? least : by;
    by = by > most ? most : by;
    const Sums sums = *reinterpret_cast<const LooseSums*>(in + i);
    *reinterpret_cast<LooseSums*>(out + i) = sums >> by;
  }
  for (; i < size; ++i) {
    out[i] = in[i] >> (shifts[i] < 0 ? 0 : shifts[i] > 31 ? 31 : shifts[i]);
  }
}

constexpr ByteKernels kKernels = {
    {kTileRows, kTileVectors * kLanes},
    kLanes,
    TFCARVE_NUMBER,
    TFCARVE_NAME,
    IsSupported,
    kUnit,
    sizeof(Left),
    sizeof(Right),
    kMaxLeftShift,
    kMinRightShift,
    kMaxRightShift,
    Tile<kTileRows, kTileVectors>,
    Tile<kTileRows, 1>,
    Tile<1, kTileVectors>,
    Tile<1, 1>,
    PackLeft,
    Sum,
    PackRight,
    Requantize,
    ShiftRight,
};

}  // namespace TFCARVE_ISA
}  // namespace math
}  // namespace tfcarve

#undef TFCARVE_ISA
#undef TFCARVE_NUMBER
#undef TFCARVE_NAME
#undef TFCARVE_TARGET
