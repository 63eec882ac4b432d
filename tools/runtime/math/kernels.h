// The inner loops for floats, compiled once for each instruction set.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_

#include <cstddef>

#include "tools/runtime/math/instruction_sets.h"

namespace tfcarve {
namespace math {

using Index = std::ptrdiff_t;

// The maximum number of rows of a tile.
constexpr int kMaxRows = 8;

// Floats of a cache line.
constexpr int kLine = 16;

// The rounding errors of a sum grow with the number of terms that are added to
// it one by one. So at most about this many terms are added to one sum; the
// sums of a longer reduction are added to each other.
constexpr Index kTerms = 256;

// A function of each element x of a product or an image, with the column or
// channel c: min(upper, max(lower, (x - shift[c]) * factor[c] + added[c])). If
// `shift` and `factor` are null, x + added[c] instead of the product. NaN stays
// NaN.
struct Finish {
  const float* shift;
  const float* factor;
  const float* added;
  float lower;
  float upper;

  // Returns the same function for columns that are counted from `first`.
  Finish From(Index first) const {
    const bool is_scaled = shift != nullptr;
    return {is_scaled ? shift + first : nullptr,
            is_scaled ? factor + first : nullptr, added + first, lower, upper};
  }
};

// Some rows of a product: c = left * right, or c += left * right.
//
// Strides and sizes are in floats, here and below. Pointers need only the
// alignment of a float. An output must not overlap an input, unless stated
// otherwise.
struct TileWork {
  // Each row of `left` consists of `runs` of `length` elements: run r of row i
  // begins at starts[i * starts_stride + r] + offset.
  Index runs;
  Index length;
  const float* const* starts;
  Index starts_stride;
  Index offset;
  // The right operand: runs * length contiguous rows with the columns of the
  // tile.
  float* panel;
  // A streaming tile reads these columns here and writes them to `panel`, which
  // may be the same memory. The tile also prefetches the cache line of `ahead`,
  // and of as many rows below it, into the second-level cache.
  const float* from;
  Index from_stride;
  const float* ahead;
  Index ahead_stride;
  float* c;
  Index c_stride;
  bool accumulate;
  // Applied to the sums, by column of the tile; null for none. Its shift is
  // null.
  const Finish* finish;
};

// Adjacent pixels of a depthwise convolution's output:
// out[i * channels + c] =
//     sum over t of pixels[t][i * step + c] * filter[t * channels + c].
struct DepthwiseWork {
  Index taps;
  const float* const* pixels;
  Index step;
  Index count;
  // For the taps from `first_ahead` on, prefetches the memory `ahead` of their
  // pixels into the second-level cache.
  Index ahead;
  Index first_ahead;
  const float* filter;
  Index channels;
  // Applied to the sums, by channel; null for none. Its shift is null.
  const Finish* finish;
  float* out;
};

// The rows and columns of a whole tile.
struct TileSize {
  int rows;
  int columns;
};

struct Kernels : TileSize {
  using Tile = void (*)(const TileWork& work);

  int number;  // of the instruction set in kInstructionSets
  int lanes;   // of a vector; a narrow tile has as many columns
  // Indexed by the number of rows minus one. Only tiles with `rows` rows apply
  // `finish`.
  Tile tiles[kMaxRows];
  Tile narrow_tiles[kMaxRows];
  // A whole tile; null if it would not be faster.
  Tile streaming_tile;

  // to[k * width + j] = from[k * stride + j], or 0 if j >= `columns`.
  void (*pack)(Index depth, const float* from, Index stride, Index columns,
               Index width, float* to);
  // to[k * width + j] = from[j * stride + k], or 0 if j >= `columns`.
  void (*pack_transposed)(Index depth, const float* from, Index stride,
                          Index columns, Index width, float* to);
  // y[j] = sum over k of x[k] * matrix[k * stride + j], for `size` elements;
  // `depth` is at most kTerms.
  void (*combine_rows)(Index depth, const float* x, const float* matrix,
                       Index stride, Index size, float* y);
  // y[i] = sum over k of matrix[i * stride + k] * x[k], for `size` elements.
  void (*dot_rows)(Index depth, const float* x, const float* matrix,
                   Index stride, Index size, float* y);
};

// The kernels of products, one for each instruction set.
extern const Kernels* const kAllKernels[kInstructionSetCount];

// Those of the selected instruction set.
const Kernels& SelectedKernels();

// Each of the functions below exists once for each instruction set, indexed by
// SelectedInstructionSet(). They are not members of Kernels, so that a library
// contains only the functions that it uses.

using DepthwiseLoop = void (*)(const DepthwiseWork& work);
extern const DepthwiseLoop kDepthwise[];

// Applies `finish` to `size` elements, the first of which is in column `first`;
// `out` may be `in`.
using FinishRowLoop = void (*)(const Finish& finish, Index first, Index size,
                               const float* in, float* out);
extern const FinishRowLoop kFinishRow[];

// Applies `finish` to `rows` rows of `columns` elements. For the columns of a
// tile: it processes one vector of all rows before the next vector.
using FinishRowsLoop = void (*)(const Finish& finish, Index columns, Index rows,
                                Index stride, float* data);
extern const FinishRowsLoop kFinishRows[];

// out[i] = min(upper, max(lower, in[i])). NaN stays NaN. `out` may be `in`.
using LimitLoop = void (*)(Index size, const float* in, float lower,
                           float upper, float* out);
extern const LimitLoop kLimit[];

// out[c] = the maximum or the mean of pixels[t][c], for at least one tap. As in
// TensorFlow, the maximum ignores NaN and is at least the lowest finite number.
using PoolLoop = void (*)(Index taps, const float* const* pixels,
                          Index channels, float* out);
extern const PoolLoop kLargest[];
extern const PoolLoop kMean[];

// A function of each of `size` elements. `out` may be `in`. NaN stays NaN.
using Map = void (*)(Index size, const float* in, float* out);

// Their relative errors are below 2e-7; the absolute error of erf is
// below 2e-7.
extern const Map kExp[];
extern const Map kSigmoid[];
extern const Map kTanh[];
extern const Map kErf[];
// The probabilities of at least one logit, and their logarithms.
extern const Map kSoftmax[];
extern const Map kLogSoftmax[];

// A function of two operands of `size` elements each, at least one. An operand
// is a single number if its step is 0 instead of 1. `out` may be an operand
// whose step is 1.
using Combine = void (*)(Index size, const float* a, Index a_step,
                         const float* b, Index b_step, float* out);

extern const Combine kSum[];
extern const Combine kDifference[];
extern const Combine kProduct[];
// (a - b)^2.
extern const Combine kSquaredDifference[];

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_
