// Convolutions of images as matrix products: the rows of the left operand are
// the patches of the image, which are located one block at a time.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_

#include <algorithm>

#include "tools/runtime/math/product.h"

namespace tfcarve {
namespace math {

// One of the two dimensions of an image along which a filter moves.
struct Axis {
  Index in;
  Index out;
  Index filter;
  Index stride;
  Index dilation;
  Index padding;  // before the first element

  // The element of the input under the filter's element `tap`.
  Index At(Index output, Index tap) const {
    return output * stride - padding + tap * dilation;
  }
};

// The geometry of a convolution. Images are [row, column, channel], contiguous.
struct Window {
  Axis rows;
  Axis columns;
  Index channels;

  Index pixels() const { return rows.out * columns.out; }
  Index taps() const { return rows.filter * columns.filter; }
  Index image() const { return rows.in * columns.in * channels; }
  // The largest number of elements of the filter that are inside the image.
  Index most_inside() const {
    return std::min(rows.in, rows.filter) *
           std::min(columns.in, columns.filter);
  }
};

// The value of the elements that surround an image: 0, or another byte.
template <typename T>
class Border {
 public:
  void SetBorder(T border) { border_ = border; }

 protected:
  T border_ = 0;
};

template <>
class Border<float> {
 protected:
  static constexpr float border_ = 0;
};

// The unit of which a patch consists.
enum class PatchRun {
  kPixel,    // the channels of the pixel at the same position
  kImage,    // a whole image
  kRow,      // all elements under a row of the filter
  kElement,  // the channels under an element of the filter
};

// The patches of images: each row is the patch of one output pixel, ordered
// [filter row, filter column, channel]. It has `group` channels, starting with
// the one at which `images` begins. T is float or std::uint8_t.
template <typename T>
class PatchesOf final : public RowsOf<T>, public Border<T> {
 public:
  PatchesOf(const Window& window, const T* images, Index group);
  void Find(Index first, Index count, T* scratch,
            const T** starts) const override;

 private:
  PatchesOf(const Window& window, const T* images, Index group, PatchRun run);

  const Window window_;
  const T* const images_;
  const PatchRun run_;
};

using Patches = PatchesOf<float>;

// Finds the start of the channels under each element of a window without
// dilation that is inside the image, for one pixel of the output. Returns the
// number of these elements; `starts` has space for most_inside() of them.
template <typename T>
Index FindInside(const Window& window, const T* image, Index row, Index column,
                 const T** starts);

// Computes a row of a depthwise convolution's output, [column, channel], with a
// separate filter for each channel, [filter row, filter column, channel].
// `scratch` has space for taps() pointers; `zeros` has one zero for each
// channel. `finish` is applied to the sums; null for none.
void DepthwiseRow(int instruction_set, const Window& window, const float* image,
                  const float* filter, Index row, const float* zeros,
                  const Finish* finish, const float** scratch, float* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
