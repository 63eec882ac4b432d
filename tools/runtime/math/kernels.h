// The inner loops of floats, compiled once for each instruction set.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_

#include <cstddef>

namespace tfcarve {
namespace math {

using Index = std::ptrdiff_t;

// No instruction set has tiles with more rows.
constexpr int kMostRows = 8;

// What becomes of each element of a product, or of an image, by its column or
// channel c: min(upper, max(lower, (x - shift[c]) * factor[c] + added[c])).
// Without `shift`, which then is null as `factor` is, x + added[c]. A NaN stays
// one.
struct Finish {
  const float* shift;
  const float* factor;
  const float* added;
  float lower;
  float upper;

  // The same, for columns that are counted from `first` on.
  Finish From(Index first) const {
    const bool is_scaled = shift != nullptr;
    return {is_scaled ? shift + first : nullptr,
            is_scaled ? factor + first : nullptr, added + first, lower, upper};
  }
};

// Some rows of a product: c = left * right, or c += left * right.
//
// Strides and sizes are in floats, here and below. No pointer needs more than a
// float's alignment. An output never overlaps an input, except where said.
struct TileWork {
  // Each row of `left` consists of `runs` of `length` elements: run r of row i
  // begins at starts[i * starts_stride + r] + offset.
  Index runs;
  Index length;
  const float* const* starts;
  Index starts_stride;
  Index offset;
  // The right operand: as many columns as the tile has in each of its
  // runs * length rows, side by side.
  float* panel;
  // A streaming tile reads these columns here and writes them to `panel`, which
  // may be the same place. It also fetches the cache line of `ahead`, and of as
  // many rows below it, into the second-level cache.
  const float* from;
  Index from_stride;
  const float* ahead;
  Index ahead_stride;
  float* c;
  Index c_stride;
  bool accumulate;
  // What becomes of the sums, by column of the tile; null for nothing. It has
  // no shift.
  const Finish* finish;
};

// Pixels of a depthwise convolution's output that lie side by side:
// out[i * channels + c] =
//     sum over t of pixels[t][i * step + c] * filter[t * channels + c].
struct DepthwiseWork {
  Index taps;
  const float* const* pixels;
  Index step;
  Index count;
  const float* filter;
  Index channels;
  // What becomes of the sums, by channel; null for nothing. It has no shift.
  const Finish* finish;
  float* out;
};

struct Kernels {
  using Tile = void (*)(const TileWork& work);

  int number;  // in kAllKernels
  // What TFCARVE_CPU calls it.
  const char* name;
  // Whether this machine can run it.
  bool (*is_supported)();
  int lanes;    // of a vector
  int rows;     // of a whole tile
  int columns;  // of a whole tile; a narrow one has `lanes`
  // By their rows, less one. None but those of `rows` rows and `columns`
  // columns, the whole tiles, finish.
  Tile tiles[kMostRows];
  Tile narrow_tiles[kMostRows];
  // A whole tile; null where nothing is gained by it.
  Tile streaming_tile;

  // to[k * width + j] = from[k * stride + j]; 0 from `columns` on.
  void (*pack)(Index depth, const float* from, Index stride, Index columns,
               Index width, float* to);
  // to[k * width + j] = from[j * stride + k]; 0 from `columns` on.
  void (*pack_transposed)(Index depth, const float* from, Index stride,
                          Index columns, Index width, float* to);
  // y[j] = sum over k of x[k] * matrix[k * stride + j], for `size` elements.
  void (*combine_rows)(Index depth, const float* x, const float* matrix,
                       Index stride, Index size, float* y);
  // y[i] = sum over k of matrix[i * stride + k] * x[k], for `size` elements.
  void (*dot_rows)(Index depth, const float* x, const float* matrix,
                   Index stride, Index size, float* y);
  void (*depthwise)(const DepthwiseWork& work);
  // Finishes `size` elements, the first one of which is in column `first`;
  // `out` may be `in`.
  void (*finish)(const Finish& finish, Index first, Index size, const float* in,
                 float* out);
  // Finishes `rows` of `columns` elements each. For as many columns as a tile
  // has: it goes down each vector.
  void (*finish_rows)(const Finish& finish, Index columns, Index rows,
                      Index stride, float* data);
  // out[i] = min(upper, max(lower, in[i])); a NaN stays one. `out` may be `in`.
  void (*limit)(Index size, const float* in, float lower, float upper,
                float* out);
  // out[c] = the largest of pixels[t][c], or the mean of all, for at least one
  // tap.
  void (*largest)(Index taps, const float* const* pixels, Index channels,
                  float* out);
  void (*mean)(Index taps, const float* const* pixels, Index channels,
               float* out);
};

// A function of each of `size` elements; `out` may be `in`. A NaN stays one.
using Map = void (*)(Index size, const float* in, float* out);

// For each instruction set one, by Kernels::number. They are no members of
// Kernels, so that a library has only those that it uses. Their errors are
// below 2e-7 of the value, that of erf below 2e-7.
extern const Map kExp[];
extern const Map kSigmoid[];
extern const Map kTanh[];
extern const Map kErf[];
// The probabilities of logits, which are at least one.
extern const Map kSoftmax[];

// A function of two operands of `size` elements each, at least one; an operand
// whose step is 0, not 1, is one number. `out` may be an operand whose step is
// 1.
using Combine = void (*)(Index size, const float* a, Index a_step,
                         const float* b, Index b_step, float* out);

extern const Combine kSum[];
extern const Combine kDifference[];
extern const Combine kProduct[];
// (a - b)^2.
extern const Combine kSquaredDifference[];

// The instruction sets that this library has code for, the best one last. Ends
// with a null pointer.
extern const Kernels* const kAllKernels[];

// What the library computes with: what SelectKernels chose; else the one that
// the environment variable TFCARVE_CPU names; else the best one that this
// machine can run. Chosen at the first call.
const Kernels& SelectedKernels();

// Chooses by name, for all that runs afterwards; "" stands for the best one
// that this machine can run. Returns false, and changes nothing, if there is no
// such name or if this machine can't run it.
bool SelectKernels(const char* name);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_KERNELS_H_
