// Convolutions of float images as products: the rows of the left operand are
// the patches of the image, which are gathered a block at a time.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_

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

  // The element of the input below the filter's element.
  Index At(Index output, Index tap) const {
    return output * stride - padding + tap * dilation;
  }
};

// Images are [row, column, channel], one after the other.
struct Window {
  Axis rows;
  Axis columns;
  Index channels;

  Index pixels() const { return rows.out * columns.out; }
  Index taps() const { return rows.filter * columns.filter; }
  Index image() const { return rows.in * columns.in * channels; }
};

// The patches of images: each row is that of a pixel of the output, ordered
// [filter's row, filter's column, channel], of `group` channels from the one on
// that `images` begins with.
class Patches final : public Rows {
 public:
  Patches(const Window& window, const float* images, Index group);
  const float* Read(Index first, Index count, Index k, Index depth,
                    float* scratch, Index* stride) const override;

 private:
  void Copy(Index pixel, Index k, Index end, float* to) const;
  void CopyRun(const float* row, Index column, Index k, Index end,
               float* to) const;

  const Window window_;
  const float* const images_;
  const Index group_;
  // From one patch to the next where these lie in the images as they are; else
  // 0.
  const Index stride_;
  // Whether a row of a patch is a part of a row of the image.
  const bool is_joined_;
};

// Computes a row of a depthwise convolution's output, [column, channel]: each
// channel has a filter of its own, [filter's row, filter's column, channel].
// `scratch` has room for taps() pointers; `zeros` are as many as there are
// channels.
void DepthwiseRow(const Kernels& kernels, const Window& window,
                  const float* image, const float* filter, Index row,
                  const float* zeros, const float** scratch, float* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
