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

// The left operand of a product. Each row consists of runs of elements that lie
// side by side somewhere in memory.
class Rows {
 public:
  Index runs() const { return runs_; }
  Index length() const { return length_; }
  Index depth() const { return runs_ * length_; }
  // Floats that Find needs room for: for any number of rows, and for each row.
  Index scratch() const { return scratch_; }
  Index row_scratch() const { return row_scratch_; }

  // Finds where runs start: run r of row first + i at starts[i * runs() + r].
  // Some may be written to `scratch`, and lie there.
  virtual void Find(Index first, Index count, float* scratch,
                    const float** starts) const = 0;

 protected:
  Rows(Index runs, Index length, Index scratch, Index row_scratch)
      : runs_(runs),
        length_(length),
        scratch_(scratch),
        row_scratch_(row_scratch) {}
  ~Rows() = default;

 private:
  const Index runs_;
  const Index length_;
  const Index scratch_;
  const Index row_scratch_;
};

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

// Computes a part of out = left * right, where `out`, the start of the whole
// output, has `out_stride` floats from row to row. `finish` is what becomes of
// the sums, by column; null for nothing. Returns false if there is no memory
// for what is kept of the operands meanwhile: about half a megabyte.
bool Multiply(const Kernels& kernels, const Rows& left, const Matrix& right,
              const Part& part, const Finish* finish, float* out,
              Index out_stride);

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_PRODUCT_H_
