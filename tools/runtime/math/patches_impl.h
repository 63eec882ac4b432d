// Where the patches of images are in memory. The sources that instantiate
// PatchesOf include this file.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_PATCHES_IMPL_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_PATCHES_IMPL_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tools/runtime/math/convolution.h"

namespace tfcarve {
namespace math {
namespace {

// Whether the filter covers the whole input.
bool IsWhole(const Axis& axis) {
  return axis.out == 1 && axis.padding == 0 && axis.dilation == 1 &&
         axis.filter == axis.in;
}

// Whether each output element depends only on the input element at the same
// position.
bool IsSame(const Axis& axis) {
  return axis.filter == 1 && axis.stride == 1 && axis.padding == 0 &&
         axis.out == axis.in;
}

bool IsInside(const Axis& axis, Index at) { return at >= 0 && at < axis.in; }

// Elements of a filter: [begin, end).
struct Taps {
  Index begin;
  Index end;
};

// The elements of a filter without dilation that are inside the image, for one
// output element. The filter may be much larger than the image.
Taps InsideOf(const Axis& axis, Index output) {
  const std::int64_t at = axis.At(output, 0), none = 0, all = axis.filter;
  const std::int64_t begin = std::clamp(-at, none, all);
  const std::int64_t end = std::clamp(axis.in - at, begin, all);
  return {static_cast<Index>(begin), static_cast<Index>(end)};
}

// Finds the start of the channels under each element of the filter, for one
// pixel of the output; `outside` outside of the image.
template <typename T>
void FindElements(const Window& window, const T* image, Index row, Index column,
                  const T* outside, const T** starts) {
  for (Index y = 0; y < window.rows.filter; ++y) {
    const Index from_row = window.rows.At(row, y);
    const bool is_inside = IsInside(window.rows, from_row);
    for (Index x = 0; x < window.columns.filter; ++x) {
      const Index from = window.columns.At(column, x);
      *starts++ =
          is_inside && IsInside(window.columns, from)
              ? image + (from_row * window.columns.in + from) * window.channels
              : outside;
    }
  }
}

// Whether the whole filter is inside the image.
bool IsFull(const Axis& axis, Index output) {
  return IsInside(axis, axis.At(output, 0)) &&
         IsInside(axis, axis.At(output, axis.filter - 1));
}

// Whether the filter at a pixel covers the elements that it covers at the pixel
// to the left, moved by one stride.
bool IsNextToFull(const Axis& columns, Index column) {
  return column > 0 && IsFull(columns, column - 1) && IsFull(columns, column);
}

// Sets `starts` to the starts of the pixel to the left, moved by one stride.
template <typename T>
void MoveRight(const Window& window, Index runs, const T* outside,
               const T* const* left, const T** starts) {
  const Index step = window.columns.stride * window.channels;
  for (Index r = 0; r < runs; ++r) {
    starts[r] = left[r] == outside ? outside : left[r] + step;
  }
}

// Same as FindElements, but for each row of the filter, whose elements'
// channels are contiguous; `scratch` has space for the rows that are partly
// outside.
template <typename T>
void FindRows(const Window& window, const T* image, Index row, Index column,
              const T* outside, T border, T* scratch, const T** starts) {
  const Axis& axis = window.columns;
  const Index length = axis.filter * window.channels;
  const Index at = axis.At(column, 0);
  const auto [begin, end] = InsideOf(axis, column);
  for (Index y = 0; y < window.rows.filter; ++y) {
    const Index from_row = window.rows.At(row, y);
    const Index inside = (from_row * axis.in + at + begin) * window.channels;
    if (!IsInside(window.rows, from_row) || begin == end) {
      starts[y] = outside;
    } else if (end - begin == axis.filter) {
      starts[y] = image + inside;
    } else {
      std::fill_n(scratch, length, border);
      std::memcpy(scratch + begin * window.channels, image + inside,
                  (end - begin) * window.channels * sizeof(T));
      starts[y] = scratch;
      scratch += length;
    }
  }
}

// Runs of fewer than `few` channels are joined to rows.
PatchRun RunOf(const Window& window, Index group, Index few) {
  if (IsSame(window.rows) && IsSame(window.columns)) return PatchRun::kPixel;
  if (group == window.channels) {
    if (IsWhole(window.rows) && IsWhole(window.columns)) {
      return PatchRun::kImage;
    }
    if (group < few && window.columns.dilation == 1) return PatchRun::kRow;
  }
  return PatchRun::kElement;
}

Index RunsOf(const Window& window, PatchRun run) {
  if (run == PatchRun::kImage) return 1;
  return run == PatchRun::kRow ? window.rows.filter : window.taps();
}

Index LengthOf(const Window& window, Index group, PatchRun run) {
  if (run == PatchRun::kImage) return window.image();
  return run == PatchRun::kRow ? window.columns.filter * group : group;
}

// With fewer channels, starting a run of floats takes longer than computing it.
// Bytes are copied before they are multiplied, which is faster for long runs.
template <typename T>
constexpr Index kFewChannels =
    sizeof(T) == 1 ? std::numeric_limits<Index>::max() : 48;

}  // namespace

template <typename T>
PatchesOf<T>::PatchesOf(const Window& window, const T* images, Index group)
    : PatchesOf(window, images, group, RunOf(window, group, kFewChannels<T>)) {}

// Scratch space is needed for one run outside of the image, and for each run of
// a pixel that is partly outside.
template <typename T>
PatchesOf<T>::PatchesOf(const Window& window, const T* images, Index group,
                        PatchRun run)
    : RowsOf<T>(RunsOf(window, run), LengthOf(window, group, run),
                LengthOf(window, group, run),
                run == PatchRun::kRow
                    ? window.rows.filter * LengthOf(window, group, run)
                    : 0),
      window_(window),
      images_(images),
      run_(run) {}

template <typename T>
void PatchesOf<T>::Find(Index first, Index count, T* scratch,
                        const T** starts) const {
  const T* const outside = scratch;
  std::fill_n(scratch, this->length(), this->border_);
  scratch += this->length();
  if (run_ == PatchRun::kPixel) {
    for (Index i = 0; i < count; ++i) {
      starts[i] = images_ + (first + i) * window_.channels;
    }
    return;
  }
  const T* image = images_ + first / window_.pixels() * window_.image();
  Index row = first % window_.pixels() / window_.columns.out;
  Index column = first % window_.columns.out;
  for (Index i = 0; i < count; ++i, starts += this->runs()) {
    if (run_ == PatchRun::kImage) {
      *starts = image;
    } else if (i > 0 && IsNextToFull(window_.columns, column)) {
      MoveRight(window_, this->runs(), outside, starts - this->runs(), starts);
    } else if (run_ == PatchRun::kRow) {
      FindRows(window_, image, row, column, outside, this->border_, scratch,
               starts);
      scratch += this->row_scratch();
    } else {
      FindElements(window_, image, row, column, outside, starts);
    }
    if (++column < window_.columns.out) continue;
    column = 0;
    if (++row < window_.rows.out) continue;
    row = 0;
    image += window_.image();
  }
}

template <typename T>
Index FindInside(const Window& window, const T* image, Index row, Index column,
                 const T** starts) {
  const Taps rows = InsideOf(window.rows, row);
  const Taps columns = InsideOf(window.columns, column);
  Index count = 0;
  for (Index y = rows.begin; y < rows.end; ++y) {
    const Index from_row = window.rows.At(row, y) * window.columns.in;
    for (Index x = columns.begin; x < columns.end; ++x) {
      const Index from = from_row + window.columns.At(column, x);
      starts[count++] = image + from * window.channels;
    }
  }
  return count;
}

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_PATCHES_IMPL_H_
