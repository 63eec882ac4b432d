#include "tools/runtime/math/convolution.h"

#include <algorithm>
#include <cstring>

namespace tfcarve {
namespace math {
namespace {

// Whether a filter of one element passes over all elements.
bool IsPlain(const Axis& axis) {
  return axis.filter == 1 && axis.stride == 1 && axis.padding == 0 &&
         axis.out == axis.in;
}

// Whether the filter is as long as the input.
bool IsWhole(const Axis& axis) {
  return axis.out == 1 && axis.padding == 0 && axis.dilation == 1 &&
         axis.filter == axis.in;
}

Index StrideOf(const Window& window, Index group) {
  if (IsPlain(window.rows) && IsPlain(window.columns)) return window.channels;
  const bool is_image = IsWhole(window.rows) && IsWhole(window.columns);
  return is_image && group == window.channels ? window.image() : 0;
}

bool IsInside(const Axis& axis, Index at) { return at >= 0 && at < axis.in; }

// Elements [k, end) of a run that is zeros, then `from`, then zeros: `from` are
// the run's elements [first, last), of which from[0] is the first.
void CopyPadded(const float* from, Index first, Index last, Index k, Index end,
                float* to) {
  const Index begin = std::min(std::max(k, first), end);
  const Index stop = std::max(begin, std::min(end, last));
  std::fill(to, to + (begin - k), 0.0f);
  if (stop > begin) {
    std::memcpy(to + (begin - k), from + (begin - first),
                (stop - begin) * sizeof(float));
  }
  std::fill(to + (stop - k), to + (end - k), 0.0f);
}

}  // namespace

Patches::Patches(const Window& window, const float* images, Index group)
    : window_(window),
      images_(images),
      group_(group),
      stride_(StrideOf(window, group)),
      is_joined_(window.columns.dilation == 1 && group == window.channels) {}

const float* Patches::Read(Index first, Index count, Index k, Index depth,
                           float* scratch, Index* stride) const {
  if (stride_ > 0) {
    *stride = stride_;
    return images_ + first * stride_ + k;
  }
  *stride = depth;
  for (Index i = 0; i < count; ++i) {
    Copy(first + i, k, k + depth, scratch + i * depth);
  }
  return scratch;
}

// A patch consists of runs, one for each row of the filter or, where these do
// not lie side by side in the image, one for each of its elements.
void Patches::Copy(Index pixel, Index k, Index end, float* to) const {
  const Index image = pixel / window_.pixels();
  const Index row = pixel % window_.pixels() / window_.columns.out;
  const Index column = pixel % window_.columns.out;
  const Index run = window_.columns.filter * group_;
  for (Index y = k / run; k < end; ++y) {
    const Index start = y * run;
    const Index stop = std::min(end, start + run);
    const Index from = window_.rows.At(row, y);
    if (IsInside(window_.rows, from)) {
      CopyRun(images_ + image * window_.image() +
                  from * window_.columns.in * window_.channels,
              column, k - start, stop - start, to);
    } else {
      std::fill(to, to + (stop - k), 0.0f);
    }
    to += stop - k;
    k = stop;
  }
}

void Patches::CopyRun(const float* row, Index column, Index k, Index end,
                      float* to) const {
  const Axis& axis = window_.columns;
  const Index at = axis.At(column, 0);
  if (is_joined_) {
    const Index first = std::min(std::max<Index>(0, at), at + axis.filter);
    const Index last = std::max(first, std::min(axis.in, at + axis.filter));
    CopyPadded(row + first * group_, (first - at) * group_,
               (last - at) * group_, k, end, to);
    return;
  }
  for (Index x = k / group_; k < end; ++x) {
    const Index stop = std::min(end, (x + 1) * group_);
    const Index from = axis.At(column, x);
    if (IsInside(axis, from)) {
      std::memcpy(to, row + from * window_.channels + (k - x * group_),
                  (stop - k) * sizeof(float));
    } else {
      std::fill(to, to + (stop - k), 0.0f);
    }
    to += stop - k;
    k = stop;
  }
}

void DepthwiseRow(const Kernels& kernels, const Window& window,
                  const float* image, const float* filter, Index row,
                  const float* zeros, const float** scratch, float* out) {
  for (Index column = 0; column < window.columns.out; ++column) {
    const float** pixel = scratch;
    for (Index y = 0; y < window.rows.filter; ++y) {
      const Index from_row = window.rows.At(row, y);
      const bool is_inside = IsInside(window.rows, from_row);
      for (Index x = 0; x < window.columns.filter; ++x) {
        const Index from = window.columns.At(column, x);
        *pixel++ = is_inside && IsInside(window.columns, from)
                       ? image + (from_row * window.columns.in + from) *
                                     window.channels
                       : zeros;
      }
    }
    kernels.depthwise(window.taps(), scratch, filter, window.channels, out);
    out += window.channels;
  }
}

}  // namespace math
}  // namespace tfcarve
