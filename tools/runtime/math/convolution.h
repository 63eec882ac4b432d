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
  void Find(Index first, Index count, float* scratch,
            const float** starts) const override;

 private:
  // What a run of a patch is.
  enum class Run {
    kPixel,    // the channels of the pixel of the same place
    kImage,    // a whole image
    kRow,      // of one of the filter's rows: all of its elements
    kElement,  // of one of the filter's elements: its channels
  };

  static Run RunOf(const Window& window, Index group);
  static Index RunsOf(const Window& window, Run run);
  static Index LengthOf(const Window& window, Index group, Run run);

  Patches(const Window& window, const float* images, Index group, Run run);

  const Window window_;
  const float* const images_;
  const Run run_;
};

// Finds where the channels start below those of the window's elements that are
// inside of an image, for one pixel of the output. Returns how many these are;
// `starts` has room for taps() of them.
Index FindInside(const Window& window, const float* image, Index row,
                 Index column, const float** starts);

// Computes a row of a depthwise convolution's output, [column, channel]: each
// channel has a filter of its own, [filter's row, filter's column, channel].
// `scratch` has room for taps() pointers; `zeros` are as many as there are
// channels. `finish` is what becomes of the sums; null for nothing.
void DepthwiseRow(const Kernels& kernels, const Window& window,
                  const float* image, const float* filter, Index row,
                  const float* zeros, const Finish* finish,
                  const float** scratch, float* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_CONVOLUTION_H_
