// The loops of kernels.h for one instruction set. kernels.cc includes this file
// once for each, after defining:
//
// clang-format off
//   TFCARVE_ISA           the namespace
//   TFCARVE_NUMBER        the index in kInstructionSets
//   TFCARVE_TARGET        the function attribute that enables it; may be empty
//   TFCARVE_LANES         floats in a vector
//   TFCARVE_TILE_ROWS     the height of the tile, in rows
//   TFCARVE_TILE_VECTORS  the width of the tile, in vectors; the tile must
//                         fit into the registers
//   TFCARVE_BY_ELEMENT    1 if a vector can be multiplied by an element of
//                         another vector: left operands are then loaded as
//                         vectors, and HasWholeTile() and MultiplyWholeTile()
//                         must be declared
// clang-format on
//
// This file must not include headers or call inline functions of other headers:
// the linker keeps one copy of such a function, possibly one that the machine
// cannot run.

namespace tfcarve {
namespace math {
namespace TFCARVE_ISA {

// Vector extensions of GCC and clang, which work on all CPUs. `Loose`
// has the alignment of a float.
typedef float Vector __attribute__((vector_size(TFCARVE_LANES * 4)));
typedef float Loose
    __attribute__((vector_size(TFCARVE_LANES * 4), aligned(4), may_alias));

typedef int Ints __attribute__((vector_size(TFCARVE_LANES * 4)));

constexpr int kLanes = TFCARVE_LANES;
constexpr int kTileRows = TFCARVE_TILE_ROWS;
constexpr int kTileVectors = TFCARVE_TILE_VECTORS;
constexpr int kTileColumns = kTileVectors * kLanes;
// Whether the computation is so fast that it may wait for memory.
constexpr bool kIsWide = kLanes > 4;

// Rows to prefetch ahead while packing a matrix: consecutive rows are too far
// apart for the CPU's prefetcher.
constexpr Index kAhead = 16;

template <typename Value>
TFCARVE_TARGET inline Value Limit(Value x, float lower, float upper) {
  const Value least = lower - Value{};
  const Value most = upper - Value{};
  x = x < least ? least : x;
  return x > most ? most : x;
}

#if TFCARVE_BY_ELEMENT
// One instruction for each limit. NaN stays NaN here, too.
template <>
inline Vector Limit<Vector>(Vector x, float lower, float upper) {
  x = vmaxq_f32(x, lower - Vector{});
  return vminq_f32(x, upper - Vector{});
}
#endif

// Applies a Finish without a shift to the sums of columns from `first` on.
template <int kRows, int kVectors>
TFCARVE_TARGET inline void FinishSums(const Finish& finish, Index first,
                                      Vector (&sums)[kRows][kVectors]) {
  TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
    const Vector added =
        *reinterpret_cast<const Loose*>(finish.added + first + j * kLanes);
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      sums[i][j] =
          Limit<Vector>(sums[i][j] + added, finish.lower, finish.upper);
    }
  }
}

// Adds the product of `left` and one more row of the right operand to the sums.
#define TFCARVE_ADD_ROW(sum, left_times)                                      \
  do {                                                                        \
    Vector right[kVectors];                                                   \
    TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {                       \
      right[j] = *reinterpret_cast<const Loose*>((kStreams ? from : panel) +  \
                                                 j * kLanes);                 \
      if (kStreams) *reinterpret_cast<Loose*>(panel + j * kLanes) = right[j]; \
    }                                                                         \
    panel += kVectors * kLanes;                                               \
    if (kStreams) {                                                           \
      __builtin_prefetch(ahead, 0, 2);                                        \
      ahead += work.ahead_stride;                                             \
      from += work.from_stride;                                               \
    }                                                                         \
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {                          \
      TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {                     \
        sum[i][j] = left_times;                                               \
      }                                                                       \
    }                                                                         \
  } while (false)

template <int kRows, int kVectors, bool kStreams>
TFCARVE_TARGET void Tile(const TileWork& work) {
  // Bytes of a run, and the bytes of the run that are loaded as vectors here.
  const Index end = work.length * sizeof(float);
  Index whole = 0;
#if TFCARVE_BY_ELEMENT
  constexpr bool kIsWritten = kVectors == kTileVectors && HasWholeTile<kRows>();
  if (!kIsWritten) whole = end - end % Index{sizeof(Vector)};
#endif
  float* panel = work.panel;
  const float* from = work.from;
  const float* ahead = work.ahead;
  if (kIsWide && kRows == kTileRows && !work.accumulate) {
    // The output is often in no cache. Two tiles ahead, possibly past its end.
    const float* const next = work.c + 2 * kRows * work.c_stride;
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      TFCARVE_UNROLL for (int j = 0; j < kVectors * kLanes; j += kLine) {
        __builtin_prefetch(next + i * work.c_stride + j, 1, 2);
      }
    }
  }
  Vector sums[kRows][kVectors] = {};
  for (Index r = 0; r < work.runs; ++r) {
    // One offset for all rows, in bytes, saves the instructions that advance
    // pointers.
    const char* rows[kRows];
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      rows[i] = reinterpret_cast<const char*>(
                    work.starts[i * work.starts_stride + r] + work.offset) +
                whole;
    }
    Index k = 0;
#if TFCARVE_BY_ELEMENT
    if constexpr (kIsWritten) {
      k = MultiplyWholeTile(rows, end, &panel, sums);
    } else {
      // The loop ends at 0, which needs no comparison.
      for (k = -whole; k != 0; k += sizeof(Vector)) {
        Vector left[kRows];
        TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
          left[i] = *reinterpret_cast<const Loose*>(rows[i] + k);
        }
        TFCARVE_UNROLL for (int q = 0; q < kLanes; ++q) {
          TFCARVE_ADD_ROW(sums, sums[i][j] + right[j] * left[i][q]);
        }
      }
    }
#endif
    for (; k < end - whole; k += sizeof(float)) {
      TFCARVE_ADD_ROW(
          sums,
          sums[i][j] + *reinterpret_cast<const float*>(rows[i] + k) * right[j]);
    }
  }
  float* const c = work.c;
  const Index c_stride = work.c_stride;
  if (work.accumulate) {
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
        sums[i][j] +=
            *reinterpret_cast<const Loose*>(c + i * c_stride + j * kLanes);
      }
    }
  }
  if (kRows == kTileRows && work.finish != nullptr) {
    FinishSums(*work.finish, 0, sums);
  }
  TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
    TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
      *reinterpret_cast<Loose*>(c + i * c_stride + j * kLanes) = sums[i][j];
    }
  }
}

#undef TFCARVE_ADD_ROW

template <int kRows>
TFCARVE_TARGET inline void PackRows(const float* from, Index stride,
                                    float* to) {
  TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
    __builtin_prefetch(from + (kAhead + i) * stride);
    TFCARVE_UNROLL for (int j = 0; j < kTileColumns; j += kLanes) {
      *reinterpret_cast<Loose*>(to + i * kTileColumns + j) =
          *reinterpret_cast<const Loose*>(from + i * stride + j);
    }
  }
}

TFCARVE_TARGET void Pack(Index depth, const float* from, Index stride,
                         Index columns, Index width, float* to) {
  if (columns == kTileColumns && width == kTileColumns) {
    constexpr int kRows = 4;
    Index k = 0;
    for (; k + kRows <= depth; k += kRows) {
      PackRows<kRows>(from + k * stride, stride, to + k * kTileColumns);
    }
    for (; k < depth; ++k) {
      PackRows<1>(from + k * stride, stride, to + k * kTileColumns);
    }
    return;
  }
  for (Index k = 0; k < depth; ++k, from += stride, to += width) {
    for (Index j = 0; j < width; ++j) to[j] = j < columns ? from[j] : 0;
  }
}

// Transposes four rows and columns at a time, in registers.
typedef float Four __attribute__((vector_size(16)));
typedef float LooseFour __attribute__((vector_size(16), aligned(4), may_alias));

TFCARVE_TARGET inline void TransposeFour(const float* from, Index stride,
                                         Index width, float* to) {
  const Four a = *reinterpret_cast<const LooseFour*>(from);
  const Four b = *reinterpret_cast<const LooseFour*>(from + stride);
  const Four c = *reinterpret_cast<const LooseFour*>(from + 2 * stride);
  const Four d = *reinterpret_cast<const LooseFour*>(from + 3 * stride);
  const Four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four turned[4] = {
      __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5),
      __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
      __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5),
      __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7)};
  TFCARVE_UNROLL for (int i = 0; i < 4; ++i) {
    *reinterpret_cast<LooseFour*>(to + i * width) = turned[i];
  }
}

TFCARVE_TARGET void PackTransposed(Index depth, const float* from, Index stride,
                                   Index columns, Index width, float* to) {
  Index j = 0;
  for (; j + 4 <= columns; j += 4) {
    const float* source = from + j * stride;
    Index k = 0;
    for (; k + 4 <= depth; k += 4) {
      TransposeFour(source + k, stride, width, to + k * width + j);
    }
    for (; k < depth; ++k) {
      for (Index i = 0; i < 4; ++i) {
        to[k * width + j + i] = source[i * stride + k];
      }
    }
  }
  for (; j < width; ++j) {
    for (Index k = 0; k < depth; ++k) {
      to[k * width + j] = j < columns ? from[j * stride + k] : 0;
    }
  }
}

// y += the sum of the products of `kRows` rows and their factors, `kVectors`
// vectors at a time, starting at column `first`. Returns the column after the
// last whole vector.
template <int kRows, int kVectors>
TFCARVE_TARGET inline Index AddRows(const float* const (&rows)[kRows],
                                    const Vector (&factors)[kRows], Index first,
                                    Index size, float* y) {
  Index j = first;
  for (; j + kVectors * kLanes <= size; j += kVectors * kLanes) {
    TFCARVE_UNROLL for (int v = 0; v < kVectors; ++v) {
      const Index column = j + v * kLanes;
      Vector sum =
          factors[0] * *reinterpret_cast<const Loose*>(rows[0] + column);
      TFCARVE_UNROLL for (int i = 1; i < kRows; ++i) {
        sum += factors[i] * *reinterpret_cast<const Loose*>(rows[i] + column);
      }
      *reinterpret_cast<Loose*>(y + column) += sum;
    }
  }
  return j;
}

TFCARVE_TARGET void CombineRows(Index depth, const float* x,
                                const float* matrix, Index stride, Index size,
                                float* y) {
  for (Index j = 0; j < size; ++j) y[j] = 0;
  // Several rows at a time, to read and write y less often.
  constexpr int kRows = 4;
  Index k = 0;
  for (; k + kRows <= depth; k += kRows) {
    const float* rows[kRows];
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      rows[i] = matrix + (k + i) * stride;
    }
    Index j = 0;
    if (size >= kLanes) {
      // Loaded once: the compiler must assume that y and x alias.
      Vector factors[kRows];
      TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
        factors[i] = x[k + i] + Vector{};
      }
      j = AddRows<kRows, 2>(rows, factors, 0, size, y);
      j = AddRows<kRows, 1>(rows, factors, j, size, y);
    }
    for (; j < size; ++j) {
      float sum = x[k] * rows[0][j];
      for (int i = 1; i < kRows; ++i) sum += x[k + i] * rows[i][j];
      y[j] += sum;
    }
  }
  for (; k < depth; ++k) {
    for (Index j = 0; j < size; ++j) y[j] += x[k] * matrix[k * stride + j];
  }
}

TFCARVE_TARGET inline float Sum(Vector vector) {
  float sum = 0;
  TFCARVE_UNROLL for (int i = 0; i < kLanes; ++i) sum += vector[i];
  return sum;
}

// Returns the size of the first half of a long reduction, whole vectors; 0 for
// a short one, whose terms each lane adds one by one.
inline Index FirstHalf(Index size) {
  constexpr Index kShort = kTerms / 4 * kLanes;
  return size <= kShort ? 0 : (size / 2 + kShort - 1) / kShort * kShort;
}

// sums = the products of whole vectors of `kRows` rows and x.
template <int kRows>
TFCARVE_TARGET void SumProducts(Index depth, const float* x,
                                const float* matrix, Index stride,
                                Vector (&sums)[kRows]) {
  const Index half = FirstHalf(depth);
  if (half > 0) {
    Vector others[kRows];
    SumProducts(half, x, matrix, stride, sums);
    SumProducts(depth - half, x + half, matrix + half, stride, others);
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) sums[i] += others[i];
    return;
  }
  Vector some[kRows] = {};
  for (Index k = 0; k + kLanes <= depth; k += kLanes) {
    const Vector right = *reinterpret_cast<const Loose*>(x + k);
    TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
      some[i] +=
          right * *reinterpret_cast<const Loose*>(matrix + i * stride + k);
    }
  }
  TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) sums[i] = some[i];
}

template <int kRows>
TFCARVE_TARGET void DotSomeRows(Index depth, const float* x,
                                const float* matrix, Index stride, float* y) {
  Vector sums[kRows];
  SumProducts(depth, x, matrix, stride, sums);
  const Index whole = depth - depth % kLanes;
  TFCARVE_UNROLL for (int i = 0; i < kRows; ++i) {
    float sum = Sum(sums[i]);
    for (Index k = whole; k < depth; ++k) sum += matrix[i * stride + k] * x[k];
    y[i] = sum;
  }
}

TFCARVE_TARGET void DotRows(Index depth, const float* x, const float* matrix,
                            Index stride, Index size, float* y) {
  Index i = 0;
  for (; i + 4 <= size; i += 4) {
    DotSomeRows<4>(depth, x, matrix + i * stride, stride, y + i);
  }
  for (; i < size; ++i) {
    DotSomeRows<1>(depth, x, matrix + i * stride, stride, y + i);
  }
}

TFCARVE_TARGET void FinishRow(const Finish& finish, Index first, Index size,
                              const float* in, float* out) {
  const float lower = finish.lower, upper = finish.upper;
  const float* const added = finish.added + first;
  Index i = 0;
  if (finish.shift == nullptr) {
    for (; i + kLanes <= size; i += kLanes) {
      *reinterpret_cast<Loose*>(out + i) =
          Limit<Vector>(*reinterpret_cast<const Loose*>(in + i) +
                            *reinterpret_cast<const Loose*>(added + i),
                        lower, upper);
    }
    for (; i < size; ++i) out[i] = Limit(in[i] + added[i], lower, upper);
    return;
  }
  const float* const shift = finish.shift + first;
  const float* const factor = finish.factor + first;
  for (; i + kLanes <= size; i += kLanes) {
    *reinterpret_cast<Loose*>(out + i) =
        Limit<Vector>((*reinterpret_cast<const Loose*>(in + i) -
                       *reinterpret_cast<const Loose*>(shift + i)) *
                              *reinterpret_cast<const Loose*>(factor + i) +
                          *reinterpret_cast<const Loose*>(added + i),
                      lower, upper);
  }
  for (; i < size; ++i) {
    out[i] = Limit((in[i] - shift[i]) * factor[i] + added[i], lower, upper);
  }
}

TFCARVE_TARGET void FinishRows(const Finish& finish, Index columns, Index rows,
                               Index stride, float* data) {
  const float lower = finish.lower, upper = finish.upper;
  Index j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    const Vector added = *reinterpret_cast<const Loose*>(finish.added + j);
    float* const top = data + j;
    if (finish.shift == nullptr) {
      for (Index i = 0; i < rows; ++i) {
        Loose* const at = reinterpret_cast<Loose*>(top + i * stride);
        *at = Limit<Vector>(*at + added, lower, upper);
      }
      continue;
    }
    const Vector shift = *reinterpret_cast<const Loose*>(finish.shift + j);
    const Vector factor = *reinterpret_cast<const Loose*>(finish.factor + j);
    for (Index i = 0; i < rows; ++i) {
      Loose* const at = reinterpret_cast<Loose*>(top + i * stride);
      *at = Limit<Vector>((*at - shift) * factor + added, lower, upper);
    }
  }
  if (j == columns) return;
  for (Index i = 0; i < rows; ++i) {
    float* const rest = data + i * stride + j;
    FinishRow(finish, j, columns - j, rest, rest);
  }
}

// Computes one vector of channels of some pixels.
template <int kPixels>
TFCARVE_TARGET inline void DepthwisePixels(const DepthwiseWork& work,
                                           Index first, Index channel) {
  const Index step = work.step;
  const Index offset = first * step + channel;
  const float* filter = work.filter + channel;
  Vector sums[kPixels][1] = {};
  for (Index t = 0; t < work.taps; ++t, filter += work.channels) {
    const float* const pixel = work.pixels[t] + offset;
    if (kIsWide && t >= work.first_ahead) {
      TFCARVE_UNROLL for (int i = 0; i < kPixels; ++i) {
        __builtin_prefetch(pixel + i * step + work.ahead, 0, 2);
      }
    }
    const Vector right = *reinterpret_cast<const Loose*>(filter);
    TFCARVE_UNROLL for (int i = 0; i < kPixels; ++i) {
      sums[i][0] += right * *reinterpret_cast<const Loose*>(pixel + i * step);
    }
  }
  if (work.finish != nullptr) FinishSums(*work.finish, channel, sums);
  float* const out = work.out + first * work.channels + channel;
  TFCARVE_UNROLL for (int i = 0; i < kPixels; ++i) {
    if (kIsWide) {
      // The row below, possibly past the end of the output.
      __builtin_prefetch(out + (work.count + i) * work.channels, 1, 2);
    }
    *reinterpret_cast<Loose*>(out + i * work.channels) = sums[i][0];
  }
}

TFCARVE_TARGET void Depthwise(const DepthwiseWork& work) {
  // Several pixels at a time, to read the filter less often, and all channels
  // of them, to read the image in the order of its addresses.
  constexpr int kPixels = 4;
  const Index channels = work.channels;
  const Index whole = channels - channels % kLanes;
  Index i = 0;
  for (; i + kPixels <= work.count; i += kPixels) {
    for (Index c = 0; c < whole; c += kLanes) {
      DepthwisePixels<kPixels>(work, i, c);
    }
  }
  for (; i < work.count; ++i) {
    for (Index c = 0; c < whole; c += kLanes) DepthwisePixels<1>(work, i, c);
  }
  if (whole == channels) return;
  for (i = 0; i < work.count; ++i) {
    float* const out = work.out + i * channels;
    for (Index j = whole; j < channels; ++j) {
      float sum = 0;
      for (Index t = 0; t < work.taps; ++t) {
        sum +=
            work.pixels[t][i * work.step + j] * work.filter[t * channels + j];
      }
      out[j] = sum;
    }
    if (work.finish != nullptr) {
      FinishRow(*work.finish, whole, channels - whole, out + whole,
                out + whole);
    }
  }
}

TFCARVE_TARGET void LimitAll(Index size, const float* in, float lower,
                             float upper, float* out) {
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    *reinterpret_cast<Loose*>(out + i) =
        Limit<Vector>(*reinterpret_cast<const Loose*>(in + i), lower, upper);
  }
  for (; i < size; ++i) out[i] = Limit(in[i], lower, upper);
}

// Reduces `initial` and the taps of some vectors of channels by kReduce.
template <int kVectors, Vector (*kReduce)(Vector, Vector)>
TFCARVE_TARGET inline void ReduceVectors(Index taps, const float* const* pixels,
                                         Index first, float initial,
                                         Vector (&results)[kVectors]) {
  TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
    results[j] = initial - Vector{};
  }
  for (Index t = 0; t < taps; ++t) {
    const float* const pixel = pixels[t] + first;
    TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
      results[j] = kReduce(results[j],
                           *reinterpret_cast<const Loose*>(pixel + j * kLanes));
    }
  }
}

// `a` if `b` is NaN.
TFCARVE_TARGET inline Vector Larger(Vector a, Vector b) {
  return b > a ? b : a;
}

TFCARVE_TARGET inline Vector Plus(Vector a, Vector b) { return a + b; }

// Computes kReduce of `initial` and the taps for all whole vectors of channels,
// and kFinish of each result and the number of taps. Returns the first
// remaining channel.
template <Vector (*kReduce)(Vector, Vector), Vector (*kFinish)(Vector, float)>
TFCARVE_TARGET inline Index ReduceChannels(Index taps,
                                           const float* const* pixels,
                                           Index channels, float initial,
                                           float* out) {
  constexpr int kVectors = 4;
  const float count = taps;
  Index c = 0;
  for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
    Vector results[kVectors];
    ReduceVectors<kVectors, kReduce>(taps, pixels, c, initial, results);
    TFCARVE_UNROLL for (int j = 0; j < kVectors; ++j) {
      *reinterpret_cast<Loose*>(out + c + j * kLanes) =
          kFinish(results[j], count);
    }
  }
  for (; c + kLanes <= channels; c += kLanes) {
    Vector results[1];
    ReduceVectors<1, kReduce>(taps, pixels, c, initial, results);
    *reinterpret_cast<Loose*>(out + c) = kFinish(results[0], count);
  }
  return c;
}

TFCARVE_TARGET inline Vector Same(Vector x, float) { return x; }

TFCARVE_TARGET inline Vector Divided(Vector x, float by) { return x / by; }

TFCARVE_TARGET void Largest(Index taps, const float* const* pixels,
                            Index channels, float* out) {
  constexpr float kLowest = -__FLT_MAX__;
  Index c = ReduceChannels<Larger, Same>(taps, pixels, channels, kLowest, out);
  for (; c < channels; ++c) {
    float largest = kLowest;
    for (Index t = 0; t < taps; ++t) {
      largest = pixels[t][c] > largest ? pixels[t][c] : largest;
    }
    out[c] = largest;
  }
}

TFCARVE_TARGET void Mean(Index taps, const float* const* pixels, Index channels,
                         float* out) {
  const float count = taps;
  Index c = ReduceChannels<Plus, Divided>(taps, pixels, channels, 0, out);
  for (; c < channels; ++c) {
    float sum = 0;
    for (Index t = 0; t < taps; ++t) sum += pixels[t][c];
    out[c] = sum / count;
  }
}

// 2 to the power of n, for n from -126 to 128; the last one is infinite.
TFCARVE_TARGET inline Vector PowerOfTwo(Ints n) {
  return reinterpret_cast<Vector>((n + 127) << 23);
}

// exp(x) = 2^n * (1 + rest), with a rest below 0.42.
struct Power {
  Ints n;
  Vector rest;
};

// For x from -104 to 89. Uses the power series of r = x - n * log(2), truncated
// with an error below 6e-9.
TFCARVE_TARGET inline Power PowerOf(Vector x) {
  // Floats of this magnitude are integers.
  constexpr float kWhole = 12582912;
  const Vector n = (x * 1.44269504f + kWhole) - kWhole;
  // log(2) in two parts; the first one has few bits, so that its product is
  // exact.
  const Vector r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Vector p = r * (1 / 5040.0f) + 1 / 720.0f;
  p = p * r + 1 / 120.0f;
  p = p * r + 1 / 24.0f;
  p = p * r + 1 / 6.0f;
  p = p * r + 0.5f;
  return {__builtin_convertvector(n, Ints), p * r * r + r};
}

TFCARVE_TARGET inline Vector Exp(Vector x) {
  const Power power = PowerOf(Limit<Vector>(x, -104, 89));
  // In two steps, because the result may be subnormal.
  const Ints half = power.n >> 1;
  return (power.rest + 1) * PowerOfTwo(half) * PowerOfTwo(power.n - half);
}

TFCARVE_TARGET inline Vector Sigmoid(Vector x) { return 1 / (1 + Exp(-x)); }

// e / (e + 2) with e = exp(2 x) - 1, which is exact near 0.
TFCARVE_TARGET inline Vector Tanh(Vector x) {
  const Power power = PowerOf(Limit<Vector>(x * 2, -30, 30));
  const Vector scale = PowerOfTwo(power.n);
  const Vector e = scale * power.rest + (scale - 1);
  return e / (e + 2);
}

// c[0] + c[1] * x + ...
template <int kCount>
TFCARVE_TARGET inline Vector Polynomial(const float (&c)[kCount], Vector x) {
  Vector sum = c[kCount - 1] + Vector{};
  TFCARVE_UNROLL for (int i = kCount - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

// Below 1 the power series, truncated with an error below 2e-8. Otherwise
// 1 - exp(-x^2) * p(1 / (1 + x / 2)), where p was fitted to exp(x^2) * erfc(x)
// by least squares with an error of 5e-11.
TFCARVE_TARGET inline Vector Erf(Vector x) {
  // 2 / sqrt(pi) * (-1)^n / (n! * (2 n + 1)).
  constexpr float kSeries[] = {
      1.12837917f,     -0.376126389f,    0.112837917f,   -0.0268661706f,
      0.00522397763f,  -0.000854832702f, 0.00012055333f, -1.49256504e-05f,
      1.64621144e-06f, -1.63658447e-07f};
  constexpr float kFitted[] = {0.0017997165f,  0.259899825f, 0.396107197f,
                               -0.0632528216f, 0.635633767f, -0.230440289f};
  const Vector size = Limit<Vector>(x < 0 ? -x : x, 0, 4);
  const Vector square = size * size;
  const Vector rest = Exp(-square) * Polynomial(kFitted, 1 / (1 + size * 0.5f));
  const Vector tail = x < 0 ? rest - 1 : 1 - rest;
  return size < 1 ? x * Polynomial(kSeries, square) : tail;
}

template <Vector (*kFunction)(Vector)>
TFCARVE_TARGET void MapAll(Index size, const float* in, float* out) {
  for (Index i = 0; i < size; i += kLanes) {
    const Index count = size - i;
    // The remainder is copied to a whole vector, so that the function's code is
    // inlined only once.
    float last[kLanes] = {};
    const bool is_last = count < kLanes;
    if (is_last) __builtin_memcpy(last, in + i, count * sizeof(float));
    const Vector result =
        kFunction(*reinterpret_cast<const Loose*>(is_last ? last : in + i));
    *reinterpret_cast<Loose*>(is_last ? last : out + i) = result;
    if (is_last) __builtin_memcpy(out + i, last, count * sizeof(float));
  }
}

constexpr Map kMapExp = MapAll<Exp>;
constexpr Map kMapSigmoid = MapAll<Sigmoid>;
constexpr Map kMapTanh = MapAll<Tanh>;
constexpr Map kMapErf = MapAll<Erf>;

TFCARVE_TARGET inline Vector Minus(Vector a, Vector b) { return a - b; }

TFCARVE_TARGET inline Vector Times(Vector a, Vector b) { return a * b; }

TFCARVE_TARGET inline Vector SquareOfMinus(Vector a, Vector b) {
  return (a - b) * (a - b);
}

template <Vector (*kFunction)(Vector, Vector)>
TFCARVE_TARGET void CombineAll(Index size, const float* a, Index a_step,
                               const float* b, Index b_step, float* out) {
  // An operand that is a single number becomes a vector, which is read
  // repeatedly. A sum with 0 would lose the sign of -0.
  const Vector all_a = a[0] - Vector{};
  const Vector all_b = b[0] - Vector{};
  if (a_step == 0) a = reinterpret_cast<const float*>(&all_a);
  if (b_step == 0) b = reinterpret_cast<const float*>(&all_b);
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    *reinterpret_cast<Loose*>(out + i) =
        kFunction(*reinterpret_cast<const Loose*>(a + i * a_step),
                  *reinterpret_cast<const Loose*>(b + i * b_step));
  }
  if (i == size) return;
  const Index rest = (size - i) * sizeof(float);
  Vector last_a = all_a, last_b = all_b;
  if (a_step != 0) __builtin_memcpy(&last_a, a + i, rest);
  if (b_step != 0) __builtin_memcpy(&last_b, b + i, rest);
  const Vector last = kFunction(last_a, last_b);
  __builtin_memcpy(out + i, &last, rest);
}

constexpr Combine kCombineSum = CombineAll<Plus>;
constexpr Combine kCombineDifference = CombineAll<Minus>;
constexpr Combine kCombineProduct = CombineAll<Times>;
constexpr Combine kCombineSquaredDifference = CombineAll<SquareOfMinus>;

TFCARVE_TARGET __attribute__((noinline)) float Maximum(Index size,
                                                       const float* in) {
  Vector maxima = in[0] + Vector{};
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const Vector next = *reinterpret_cast<const Loose*>(in + i);
    maxima = next > maxima ? next : maxima;
  }
  float maximum = in[0];
  for (int l = 0; l < kLanes; ++l) {
    maximum = maxima[l] > maximum ? maxima[l] : maximum;
  }
  for (; i < size; ++i) maximum = in[i] > maximum ? in[i] : maximum;
  return maximum;
}

// Returns the sum of exp(in - shift). If kStores, it is also written to `out`,
// which may be `in`.
template <bool kStores>
TFCARVE_TARGET float SumExp(Index size, const float* in, float shift,
                            float* out) {
  const Index half = FirstHalf(size);
  if (half > 0) {
    const float sum = SumExp<kStores>(half, in, shift, out);
    return sum + SumExp<kStores>(size - half, in + half, shift, out + half);
  }
  Vector sums = {};
  for (Index i = 0; i < size; i += kLanes) {
    const Index count = size - i;
    // As in MapAll. The other elements add as good as nothing: the sum of all
    // is at least 1. Exp is slow for numbers whose result is subnormal.
    float last[kLanes];
    Vector below;
    const bool is_last = count < kLanes;
    if (is_last) {
      *reinterpret_cast<Loose*>(last) = -80 - Vector{};
      for (Index j = 0; j < count; ++j) last[j] = in[i + j] - shift;
      below = *reinterpret_cast<const Loose*>(last);
    } else {
      below = *reinterpret_cast<const Loose*>(in + i) - shift;
    }
    const Vector result = Exp(below);
    sums += result;
    if (!kStores) continue;
    *reinterpret_cast<Loose*>(is_last ? last : out + i) = result;
    if (is_last) __builtin_memcpy(out + i, last, count * sizeof(float));
  }
  return Sum(sums);
}

// out = (in - shift) * factor; `out` may be `in`.
TFCARVE_TARGET __attribute__((noinline)) void Scale(Index size, const float* in,
                                                    float shift, float factor,
                                                    float* out) {
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    *reinterpret_cast<Loose*>(out + i) =
        (*reinterpret_cast<const Loose*>(in + i) - shift) * factor;
  }
  for (; i < size; ++i) out[i] = (in[i] - shift) * factor;
}

TFCARVE_TARGET void Softmax(Index size, const float* in, float* out) {
  const float sum = SumExp<true>(size, in, Maximum(size, in), out);
  Scale(size, out, 0, 1 / sum, out);
}

// The maximum is subtracted first: added to the logarithm, it would take most
// of its digits.
TFCARVE_TARGET void LogSoftmax(Index size, const float* in, float* out) {
  const float maximum = Maximum(size, in);
  const float log = __builtin_logf(SumExp<false>(size, in, maximum, out));
  Scale(size, in, maximum, 1, out);
  Scale(size, out, log, 1, out);
}

// For up to the rows of a whole tile.
template <int kVectors, int kRows>
constexpr Kernels::Tile TileOf() {
  if constexpr (kRows <= kTileRows) {
    return Tile<kRows, kVectors, false>;
  } else {
    return nullptr;
  }
}

constexpr Kernels::Tile StreamingTile() {
  if constexpr (kIsWide) {
    return Tile<kTileRows, kTileVectors, true>;
  } else {
    return nullptr;
  }
}

#define TFCARVE_TILES(vectors)                                       \
  {TileOf<vectors, 1>(), TileOf<vectors, 2>(), TileOf<vectors, 3>(), \
   TileOf<vectors, 4>(), TileOf<vectors, 5>(), TileOf<vectors, 6>(), \
   TileOf<vectors, 7>(), TileOf<vectors, 8>()}

constexpr Kernels kKernels = {
    {kTileRows, kTileColumns},
    TFCARVE_NUMBER,
    kLanes,
    TFCARVE_TILES(kTileVectors),
    TFCARVE_TILES(1),
    StreamingTile(),
    Pack,
    PackTransposed,
    CombineRows,
    DotRows,
};

#undef TFCARVE_TILES

}  // namespace TFCARVE_ISA
}  // namespace math
}  // namespace tfcarve

#undef TFCARVE_ISA
#undef TFCARVE_NUMBER
#undef TFCARVE_TARGET
#undef TFCARVE_LANES
#undef TFCARVE_TILE_ROWS
#undef TFCARVE_TILE_VECTORS
#undef TFCARVE_BY_ELEMENT
