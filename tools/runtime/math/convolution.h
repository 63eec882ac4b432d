// Convolutions of float images as matrix products: the rows of the left operand
// are the patches of the image, which are located one block at a time.

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
};

// The patches of images: each row is the patch of one output pixel, ordered
// [filter row, filter column, channel]. It has `group` channels, starting with
// the one at which `images` begins.
class Patches final : public Rows {
 public:
  Patches(const Window& window, const float* images, Index group);
  void Find(Index first, Index count, float* scratch,
            const float** starts) const override;

 private:
  // The unit of which a patch consists.
  enum class Run {
    kPixel,    // the channels of the pixel at the same position
    kImage,    // a whole image
    kRow,      // all elements under a row of the filter
    kElement,  // the channels under an element of the filter
  };

  static Run RunOf(const Window& window, Index group);
  static Index RunsOf(const Window& window, Run run);
  static Index LengthOf(const Window& window, Index group, Run run);

  Patches(const Window& window, const float* images, Index group, Run run);

  const Window window_;
  const float* const images_;
  const Run run_;
};

// Finds the start of the channels under each element of the window that is
// inside the image, for one pixel of the output. Returns the number of these
// elements; `starts` has space for taps() of them.
Index FindInside(const Window& window, const float* image, Index row,
                 Index column, const float** starts);

// Computes a row of a depthwise convolution's output, [column, channel], with a
// separate filter for each channel, [filter row, filter column, channel].
// `scratch` has space for taps() pointers; `zeros` has one zero for each
// channel. `finish` is applied to the sums; null for none.
void DepthwiseRow(const Kernels& kernels, const Window& window,
                  const float* image, const float* filter, Index row,
                  const float* zeros, const Finish* finish,
                  const float** scratch, float* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
