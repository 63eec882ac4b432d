// Products of float matrices, computed in blocks that fit into the caches.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_

#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

// A matrix in memory; the stride is in elements. Element (i, j) is
// data[i * stride + j], or data[i + j * stride] if it is transposed.
template <typename T>
struct MatrixOf {
  const T* data;
  Index stride;
  bool is_transposed;
};

using Matrix = MatrixOf<float>;

// The left operand of a product. Each row consists of runs of contiguous
// elements anywhere in memory.
template <typename T>
class RowsOf {
 public:
  Index runs() const { return runs_; }
  Index length() const { return length_; }
  Index depth() const { return runs_ * length_; }
  // Scratch space of Find in elements: for any number of rows, and for each
  // row.
  Index scratch() const { return scratch_; }
  Index row_scratch() const { return row_scratch_; }

  // Sets starts[i * runs() + r] to the start of run r of row first + i. Runs
  // may be written to `scratch`.
  virtual void Find(Index first, Index count, T* scratch,
                    const T** starts) const = 0;

 protected:
  RowsOf(Index runs, Index length, Index scratch, Index row_scratch)
      : runs_(runs),
        length_(length),
        scratch_(scratch),
        row_scratch_(row_scratch) {}
  ~RowsOf() = default;

 private:
  const Index runs_;
  const Index length_;
  const Index scratch_;
  const Index row_scratch_;
};

using Rows = RowsOf<float>;

class MatrixRows final : public Rows {
 public:
  // Each row has `depth` elements.
  MatrixRows(const Kernels& kernels, const Matrix& matrix, Index depth)
      : Rows(1, depth, 0, matrix.is_transposed ? depth : 0),
        kernels_(kernels),
        matrix_(matrix) {}
  void Find(Index first, Index count, float* scratch,
            const float** starts) const override;

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

// Splits a product of `rows` x `columns` for threads into count() parts of
// about equal size.
class Parts {
 public:
  Parts(const TileSize& tile, Index rows, Index columns, int threads);
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

// Computes a part of out = left * right. `out` is the start of the whole
// output, and `out_stride` the distance of its rows in floats. `finish` is
// applied to the sums, by column; null for none. Returns false if it cannot
// allocate its buffers, about half a megabyte.
bool Multiply(const Kernels& kernels, const Rows& left, const Matrix& right,
              const Part& part, const Finish* finish, float* out,
              Index out_stride);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_
