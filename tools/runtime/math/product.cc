#include "tools/runtime/math/product.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace tfcarve {
namespace math {
namespace {

// Floats of a panel of the right operand, of which a first-level cache holds
// most, and of a block of the left operand, for a second-level cache.
constexpr Index kPanel = 6 * 1024;
constexpr Index kBlock = 64 * 1024;

Index CeilDiv(Index a, Index b) { return (a + b - 1) / b; }

// The size of the parts that a length is cut into, none of which is longer than
// `most`: about the same for all, and whole tiles.
Index EvenSize(Index length, Index most, Index tile) {
  const Index parts = std::max<Index>(1, CeilDiv(length, most));
  return std::max<Index>(1, CeilDiv(CeilDiv(length, parts), tile)) * tile;
}

using Scratch = std::unique_ptr<float, void (*)(void*)>;

Scratch Allocate(Index size) {
  return Scratch(static_cast<float*>(std::malloc(size * sizeof(float))),
                 &std::free);
}

// What one thread computes a part with.
class Worker {
 public:
  Worker(const Kernels& kernels, const Rows& left, const Matrix& right,
         Index depth, const Part& part, const Finish* finish, float* out,
         Index out_stride)
      : kernels_(kernels),
        left_(left),
        right_(right),
        depth_(depth),
        part_(part),
        finish_(finish),
        out_(out),
        out_stride_(out_stride) {}

  bool Tiles() {
    const Index most_depth = kPanel / kernels_.columns;
    const Index step = EvenSize(depth_, most_depth, kernels_.lanes);
    const Index rows =
        EvenSize(part_.end_row - part_.first_row, kBlock / step, kernels_.rows);
    const Index panel_size = step * kernels_.columns;
    const Index tile_size = kernels_.rows * kernels_.columns;
    const Scratch scratch = Allocate(panel_size + tile_size + rows * step);
    if (scratch == nullptr) return false;
    panel_ = scratch.get();
    tile_ = panel_ + panel_size;
    float* const block = tile_ + tile_size;
    for (Index row = part_.first_row; row < part_.end_row; row += rows) {
      const Index count = std::min(rows, part_.end_row - row);
      // Once for no depth at all, too: the sums are zeros then.
      for (Index k = 0; k == 0 || k < depth_; k += step) {
        const Index some = std::min(step, depth_ - k);
        Index stride = 0;
        const float* const a = left_.Read(row, count, k, some, block, &stride);
        for (Index column = part_.first_column; column < part_.end_column;
             column += kernels_.columns) {
          const Index columns =
              std::min<Index>(kernels_.columns, part_.end_column - column);
          Panel(a, stride, row, count, k, some, column, columns);
          if (k + some == depth_) FinishRows(row, count, column, columns);
        }
      }
    }
    return true;
  }

  // For one row, that of `left` times a matrix.
  bool OneRow() {
    const Scratch scratch = Allocate(depth_);
    if (scratch == nullptr) return false;
    Index stride = 0;
    const float* const a =
        left_.Read(part_.first_row, 1, 0, depth_, scratch.get(), &stride);
    const Index column = part_.first_column;
    const Index columns = part_.end_column - column;
    float* const to = out_ + part_.first_row * out_stride_ + column;
    if (right_.is_transposed) {
      kernels_.dot_rows(depth_, a, right_.data + column * right_.stride,
                        right_.stride, columns, to);
    } else {
      kernels_.combine_rows(depth_, a, right_.data + column, right_.stride,
                            columns, to);
    }
    FinishRows(part_.first_row, 1, column, columns);
    return true;
  }

  // For an output that is one column without gaps, as `right` is.
  bool OneColumn() {
    const Index rows = std::max<Index>(1, kBlock / depth_);
    const Scratch scratch = Allocate(rows * depth_);
    if (scratch == nullptr) return false;
    for (Index row = part_.first_row; row < part_.end_row; row += rows) {
      const Index count = std::min(rows, part_.end_row - row);
      Index stride = 0;
      const float* const a =
          left_.Read(row, count, 0, depth_, scratch.get(), &stride);
      kernels_.dot_rows(depth_, right_.data, a, stride, count, out_ + row);
      FinishRows(row, count, 0, 1);
    }
    return true;
  }

 private:
  // Rows of the left operand times some columns of the right one.
  void Panel(const float* a, Index stride, Index row, Index count, Index k,
             Index depth, Index column, Index columns) {
    const bool is_narrow = columns <= kernels_.lanes;
    const Index width = is_narrow ? kernels_.lanes : kernels_.columns;
    if (right_.is_transposed) {
      kernels_.pack_transposed(depth, right_.data + column * right_.stride + k,
                               right_.stride, columns, width, panel_);
    } else {
      kernels_.pack(depth, right_.data + k * right_.stride + column,
                    right_.stride, columns, width, panel_);
    }
    const Kernels::Tile* tiles =
        is_narrow ? kernels_.narrow_tiles : kernels_.tiles;
    for (Index i = 0; i < count; i += kernels_.rows) {
      const Index rows = std::min<Index>(kernels_.rows, count - i);
      float* const to = out_ + (row + i) * out_stride_ + column;
      if (columns == width) {
        tiles[rows - 1](depth, a + i * stride, stride, panel_, to, out_stride_,
                        k > 0);
      } else {
        tiles[rows - 1](depth, a + i * stride, stride, panel_, tile_, width,
                        false);
        CopyTile(rows, columns, width, to, k > 0);
      }
    }
  }

  void CopyTile(Index rows, Index columns, Index width, float* to,
                bool accumulate) const {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        float& element = to[i * out_stride_ + j];
        element = (accumulate ? element : 0) + tile_[i * width + j];
      }
    }
  }

  void FinishRows(Index row, Index count, Index column, Index columns) const {
    if (finish_ == nullptr) return;
    for (Index i = row; i < row + count; ++i) {
      float* const to = out_ + i * out_stride_ + column;
      kernels_.finish(*finish_, column, columns, to, to);
    }
  }

  const Kernels& kernels_;
  const Rows& left_;
  const Matrix right_;
  const Index depth_;
  const Part part_;
  const Finish* const finish_;
  float* const out_;
  const Index out_stride_;
  float* panel_ = nullptr;
  float* tile_ = nullptr;
};

}  // namespace

const float* MatrixRows::Read(Index first, Index count, Index k, Index depth,
                              float* scratch, Index* stride) const {
  if (matrix_.is_transposed) {
    *stride = depth;
    kernels_.pack_transposed(count, matrix_.data + first + k * matrix_.stride,
                             matrix_.stride, depth, depth, scratch);
    return scratch;
  }
  *stride = matrix_.stride;
  return matrix_.data + first * matrix_.stride + k;
}

// Each part packs the panels of the right operand that it needs: so they are cut
// by rows where these are many, else by columns.
Parts::Parts(const Kernels& kernels, Index rows, Index columns, int threads)
    : rows_(rows),
      columns_(columns),
      tile_rows_(kernels.rows),
      tile_columns_(kernels.columns),
      row_parts_(1),
      column_parts_(1) {
  constexpr Index kManyRows = 128;
  const Index parts = std::max(1, threads);
  if (rows < kManyRows * parts && columns >= 2 * tile_columns_ * parts) {
    column_parts_ = parts;
  } else {
    row_parts_ = std::min(parts, std::max<Index>(1, rows / tile_rows_));
  }
}

Part Parts::At(Index number) const {
  const Index rows = EvenSize(rows_, CeilDiv(rows_, row_parts_), tile_rows_);
  const Index columns =
      EvenSize(columns_, CeilDiv(columns_, column_parts_), tile_columns_);
  const Index row = number % row_parts_ * rows;
  const Index column = number / row_parts_ * columns;
  return {std::min(row, rows_), std::min(row + rows, rows_),
          std::min(column, columns_), std::min(column + columns, columns_)};
}

bool Multiply(const Kernels& kernels, const Rows& left, const Matrix& right,
              Index depth, const Part& part, const Finish* finish, float* out,
              Index out_stride) {
  const Index rows = part.end_row - part.first_row;
  if (rows <= 0 || part.end_column <= part.first_column) return true;
  Worker worker(kernels, left, right, depth, part, finish, out, out_stride);
  if (rows == 1) return worker.OneRow();
  if (part.end_column == 1 && out_stride == 1 &&
      (right.is_transposed || right.stride == 1) && depth > 0) {
    return worker.OneColumn();
  }
  return worker.Tiles();
}

}  // namespace math
}  // namespace tfcarve
