// Products of bytes with zero points, computed in blocks that fit into the
// caches.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_BYTE_PRODUCT_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_BYTE_PRODUCT_H_

#include <cstdint>

#include "tools/runtime/math/byte_kernels.h"
#include "tools/runtime/math/convolution.h"
#include "tools/runtime/math/product.h"

namespace tfcarve {
namespace math {

using ByteMatrix = MatrixOf<std::uint8_t>;
using ByteRows = RowsOf<std::uint8_t>;
using BytePatches = PatchesOf<std::uint8_t>;

class ByteMatrixRows final : public ByteRows {
 public:
  // Each row has `depth` elements.
  ByteMatrixRows(const ByteMatrix& matrix, Index depth)
      : ByteRows(1, depth, 0, matrix.is_transposed ? depth : 0),
        matrix_(matrix) {}
  void Find(Index first, Index count, std::uint8_t* scratch,
            const std::uint8_t** starts) const override;

 private:
  const ByteMatrix matrix_;
};

// Computes a part of
// out[i][j] = sum over k of (left[i][k] - left_zero) * (right[k][j] -
// right_zero), modulo 2^32. `out` is the start of the whole output, and
// `out_stride` the distance of its rows in elements. Returns false if it cannot
// allocate its buffers, about half a megabyte.
bool MultiplyBytes(const ByteKernels& kernels, const ByteRows& left,
                   std::int32_t left_zero, const ByteMatrix& right,
                   std::int32_t right_zero, const Part& part, std::int32_t* out,
                   Index out_stride);

// Computes a row of a depthwise convolution's output, [column, channel], with a
// filter for each channel, packed by PackFilters(): as FilterBytes(), where
// `outside` has the value outside of the image for each channel. `scratch` has
// space for taps() pointers.
void DepthwiseRow(const Window& window, const std::uint8_t* image,
                  const std::int16_t* filters, const std::int32_t* initial,
                  Index row, const std::uint8_t* outside,
                  const std::uint8_t** scratch, std::int32_t* out);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_BYTE_PRODUCT_H_
