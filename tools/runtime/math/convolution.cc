#include "tools/runtime/math/convolution.h"

#include <algorithm>
#include <cstring>

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

// Finds the start of the channels under each element of the filter, for one
// pixel of the output; `zeros` outside of the image.
void FindElements(const Window& window, const float* image, Index row,
                  Index column, const float* zeros, const float** starts) {
  for (Index y = 0; y < window.rows.filter; ++y) {
    const Index from_row = window.rows.At(row, y);
    const bool is_inside = IsInside(window.rows, from_row);
    for (Index x = 0; x < window.columns.filter; ++x) {
      const Index from = window.columns.At(column, x);
      *starts++ =
          is_inside && IsInside(window.columns, from)
              ? image + (from_row * window.columns.in + from) * window.channels
              : zeros;
    }
  }
}

// Whether the whole filter is inside the image.
bool IsFull(const Axis& axis, Index output) {
  return IsInside(axis, axis.At(output, 0)) &&
         IsInside(axis, axis.At(output, axis.filter - 1));
}

// The end of the outputs for which IsFull is true, if there are any.
Index EndOfFull(const Axis& axis) {
  const Index last = axis.in - 1 - axis.At(0, axis.filter - 1);
  return std::min(last / axis.stride + 1, axis.out);
}

// Same as FindElements, but faster: `before` is the result for the pixel to the
// left.
void FindNextElements(const Window& window, const float* image, Index row,
                      Index column, const float* zeros,
                      const float* const* before, const float** starts) {
  const Axis& axis = window.columns;
  if (column == 0 || !IsFull(axis, column - 1) || !IsFull(axis, column)) {
    FindElements(window, image, row, column, zeros, starts);
    return;
  }
  const Index step = axis.stride * window.channels;
  for (Index t = 0; t < window.taps(); ++t) {
    starts[t] = before[t] == zeros ? zeros : before[t] + step;
  }
}

// Same as FindElements, but for each row of the filter, whose elements'
// channels are contiguous; `scratch` has space for the rows that are partly
// outside.
void FindRows(const Window& window, const float* image, Index row, Index column,
              const float* zeros, float* scratch, const float** starts) {
  const Axis& axis = window.columns;
  const Index length = axis.filter * window.channels;
  const Index at = axis.At(column, 0);
  // The elements inside the image.
  const Index begin = std::min(std::max<Index>(0, -at), axis.filter);
  const Index end = std::max(begin, std::min(axis.in - at, axis.filter));
  for (Index y = 0; y < window.rows.filter; ++y) {
    const Index from_row = window.rows.At(row, y);
    const Index inside = (from_row * axis.in + at + begin) * window.channels;
    if (!IsInside(window.rows, from_row) || begin == end) {
      starts[y] = zeros;
    } else if (end - begin == axis.filter) {
      starts[y] = image + inside;
    } else {
      std::fill_n(scratch, length, 0.0f);
      std::memcpy(scratch + begin * window.channels, image + inside,
                  (end - begin) * window.channels * sizeof(float));
      starts[y] = scratch;
      scratch += length;
    }
  }
}

}  // namespace

Patches::Run Patches::RunOf(const Window& window, Index group) {
  // With fewer, starting a run takes longer than computing it.
  constexpr Index kFewChannels = 16;
  if (IsSame(window.rows) && IsSame(window.columns)) return Run::kPixel;
  if (group == window.channels) {
    if (IsWhole(window.rows) && IsWhole(window.columns)) return Run::kImage;
    if (group < kFewChannels && window.columns.dilation == 1) return Run::kRow;
  }
  return Run::kElement;
}

Index Patches::RunsOf(const Window& window, Run run) {
  if (run == Run::kImage) return 1;
  return run == Run::kRow ? window.rows.filter : window.taps();
}

Index Patches::LengthOf(const Window& window, Index group, Run run) {
  if (run == Run::kImage) return window.image();
  return run == Run::kRow ? window.columns.filter * group : group;
}

Patches::Patches(const Window& window, const float* images, Index group)
    : Patches(window, images, group, RunOf(window, group)) {}

// Scratch space is needed for one run of zeros, and for each run of a pixel
// that is partly outside of the image.
Patches::Patches(const Window& window, const float* images, Index group,
                 Run run)
    : Rows(RunsOf(window, run), LengthOf(window, group, run),
           LengthOf(window, group, run),
           run == Run::kRow ? window.rows.filter * LengthOf(window, group, run)
                            : 0),
      window_(window),
      images_(images),
      run_(run) {}

void Patches::Find(Index first, Index count, float* scratch,
                   const float** starts) const {
  const float* const zeros = scratch;
  std::fill_n(scratch, length(), 0.0f);
  scratch += length();
  if (run_ == Run::kPixel) {
    for (Index i = 0; i < count; ++i) {
      starts[i] = images_ + (first + i) * window_.channels;
    }
    return;
  }
  const float* image = images_ + first / window_.pixels() * window_.image();
  Index row = first % window_.pixels() / window_.columns.out;
  Index column = first % window_.columns.out;
  for (Index i = 0; i < count; ++i, starts += runs()) {
    if (run_ == Run::kImage) {
      *starts = image;
    } else if (run_ == Run::kRow) {
      FindRows(window_, image, row, column, zeros, scratch, starts);
      scratch += row_scratch();
    } else if (i == 0) {
      FindElements(window_, image, row, column, zeros, starts);
    } else {
      FindNextElements(window_, image, row, column, zeros, starts - runs(),
                       starts);
    }
    if (++column < window_.columns.out) continue;
    column = 0;
    if (++row < window_.rows.out) continue;
    row = 0;
    image += window_.image();
  }
}

Index FindInside(const Window& window, const float* image, Index row,
                 Index column, const float** starts) {
  Index count = 0;
  for (Index y = 0; y < window.rows.filter; ++y) {
    const Index from_row = window.rows.At(row, y);
    if (!IsInside(window.rows, from_row)) continue;
    for (Index x = 0; x < window.columns.filter; ++x) {
      const Index from = window.columns.At(column, x);
      if (!IsInside(window.columns, from)) continue;
      starts[count++] =
          image + (from_row * window.columns.in + from) * window.channels;
    }
  }
  return count;
}

void DepthwiseRow(const Kernels& kernels, const Window& window,
                  const float* image, const float* filter, Index row,
                  const float* zeros, const Finish* finish,
                  const float** scratch, float* out) {
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
  const bool is_shifted = finish != nullptr && finish->shift != nullptr;
  work.finish = is_shifted ? nullptr : finish;
  work.out = out;
  const Index end_of_full = EndOfFull(window.columns);
  for (Index column = 0; column < window.columns.out; column += work.count) {
    FindElements(window, image, row, column, zeros, scratch);
    work.count = IsFull(window.columns, column) ? end_of_full - column : 1;
    kernels.depthwise(work);
    work.out += work.count * window.channels;
  }
  if (is_shifted) {
    kernels.finish_rows(*finish, window.channels, window.columns.out,
                        window.channels, out);
  }
}

}  // namespace math
}  // namespace tfcarve
