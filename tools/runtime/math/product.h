// Products of float matrices, a block of which fits the caches at a time.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_

#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

// A matrix as it lies in memory, in floats: element (i, j) is
// data[i * stride + j], or data[i + j * stride] where it is transposed.
struct Matrix {
  const float* data;
  Index stride;
  bool is_transposed;
};

// The left operand of a product, which may be made while it is read.
class Rows {
 public:
  // Elements [k, k + depth) of rows [first, first + count), one row after the
  // other with *stride between their starts: as they lie in memory, or written
  // to `scratch`, which has room for count * depth floats.
  virtual const float* Read(Index first, Index count, Index k, Index depth,
                            float* scratch, Index* stride) const = 0;

 protected:
  ~Rows() = default;
};

class MatrixRows final : public Rows {
 public:
  MatrixRows(const Kernels& kernels, const Matrix& matrix)
      : kernels_(kernels), matrix_(matrix) {}
  const float* Read(Index first, Index count, Index k, Index depth,
                    float* scratch, Index* stride) const override;

 private:
  const Kernels& kernels_;
  const Matrix matrix_;
};

// A part of a product's output: rows and columns [first, end).
struct Part {
  Index first_row;
  Index end_row;
  Index first_column;
  Index end_column;
};

// How a product of `rows` x `columns` is cut for threads to compute: into
// count() parts of about the same size.
class Parts {
 public:
  Parts(const Kernels& kernels, Index rows, Index columns, int threads);
  Index count() const { return row_parts_ * column_parts_; }
  Part At(Index number) const;

 private:
  Index rows_;
  Index columns_;
  Index tile_rows_;
  Index tile_columns_;
  Index row_parts_;
  Index column_parts_;
};

// Computes a part of out = left * right, where `right` has `depth` rows and
// `out`, the start of the whole output, has `out_stride` floats from row to row.
// `finish` is what becomes of the sums, by column; null for nothing. Returns
// false if there is no memory for a block of the operands: half a megabyte, or
// one row of `left` if that is more.
bool Multiply(const Kernels& kernels, const Rows& left, const Matrix& right,
              Index depth, const Part& part, const Finish* finish, float* out,
              Index out_stride);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_
