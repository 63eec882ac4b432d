#include "tools/runtime/math/convolution.h"

#include <algorithm>

#include "tools/runtime/math/patches_impl.h"

namespace tfcarve {
namespace math {
namespace {

// Floats of an image that a second-level cache holds.
constexpr Index kCached = 256 * 1024;

// The end of the outputs for which IsFull is true, if there are any.
Index EndOfFull(const Axis& axis) {
  const Index last = axis.in - 1 - axis.At(0, axis.filter - 1);
  return std::min(last / axis.stride + 1, axis.out);
}

}  // namespace

template class PatchesOf<float>;

template Index FindInside(const Window&, const float*, Index, Index,
                          const float**);

void DepthwiseRow(int instruction_set, const Window& window, const float* image,
                  const float* filter, Index row, const float* zeros,
                  const Finish* finish, const float** scratch, float* out) {
  // The rows of the filter that are inside the image.
  Index first = 0;
  Index end = window.rows.filter;
  while (first < end && window.rows.At(row, first) < 0) ++first;
  while (first < end && window.rows.At(row, end - 1) >= window.rows.in) --end;
  const Index skipped = first * window.columns.filter;
  DepthwiseWork work;
  work.taps = (end - first) * window.columns.filter;
  work.pixels = scratch + skipped;
  work.step = window.columns.stride * window.channels;
  work.filter = filter + skipped * window.channels;
  work.channels = window.channels;
  // The input rows that the next output row adds, unless the image fits into a
  // second-level cache.
  const Index stride = window.rows.stride;
  work.ahead = stride * window.columns.in * window.channels;
  work.first_ahead = work.taps;
  if (window.image() > kCached) {
    work.first_ahead -= stride * window.columns.filter;
  }
  const bool is_shifted = finish != nullptr && finish->shift != nullptr;
  work.finish = is_shifted ? nullptr : finish;
  work.out = out;
  const Index end_of_full = EndOfFull(window.columns);
  for (Index column = 0; column < window.columns.out; column += work.count) {
    FindElements(window, image, row, column, zeros, scratch);
    work.count = IsFull(window.columns, column) ? end_of_full - column : 1;
    kDepthwise[instruction_set](work);
    work.out += work.count * window.channels;
  }
  if (is_shifted) {
    kFinishRows[instruction_set](*finish, window.channels, window.columns.out,
                                 window.channels, out);
  }
}

}  // namespace math
}  // namespace tfcarve
