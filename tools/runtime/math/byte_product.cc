#include "tools/runtime/math/byte_product.h"

#include <algorithm>
#include <cstring>

#include "tools/runtime/math/blocks.h"
#include "tools/runtime/math/byte_loops.h"
#include "tools/runtime/math/patches_impl.h"

namespace tfcarve {
namespace math {

template class PatchesOf<std::uint8_t>;
template Index FindInside(const Window&, const std::uint8_t*, Index, Index,
                          const std::uint8_t**);

namespace {

// Bytes of a panel of the right operand, which fits into a first-level cache,
// and of a block of the left operand, for a second-level cache.
constexpr Index kPanel = 24 * 1024;
constexpr Index kBlock = 256 * 1024;

constexpr Index kLine = 64;  // of a cache
constexpr Index kOnes = 64;  // that are packed at once

char* Aligned(char* at) {
  return reinterpret_cast<char*>(
      (reinterpret_cast<std::uintptr_t>(at) + kLine - 1) & -kLine);
}

int Limited(std::int32_t number, int lower, int upper) {
  return std::min(upper, std::max(lower, number));
}

// Computes a part of a product in one thread.
//
// The operands are packed less their shifts. Where the kernels do not permit
// the zero points as shifts, the sums of the products lack `right_rest_` times
// the sum of each row of the left operand, and `left_rest_` times the sums of
// (right - right_zero) of each column.
class ByteWorker {
 public:
  ByteWorker(const ByteKernels& kernels, const ByteRows& left,
             std::int32_t left_zero, const ByteMatrix& right,
             std::int32_t right_zero, const Part& part, std::int32_t* out,
             Index out_stride)
      : kernels_(kernels),
        left_(left),
        left_shift_(Limited(left_zero, 0, kernels.max_left_shift)),
        left_rest_(static_cast<std::uint32_t>(left_shift_) - left_zero),
        right_(right),
        right_shift_(Limited(right_zero, kernels.min_right_shift,
                             kernels.max_right_shift)),
        right_rest_(static_cast<std::uint32_t>(right_shift_) - right_zero),
        part_(part),
        out_(out),
        out_stride_(out_stride) {}

  bool Run() {
    const Index all_rows = part_.end_row - part_.first_row;
    const Index unit = kernels_.unit;
    // Of a block's rows, in elements. Rows at a multiple of a large power of
    // two would replace each other in a cache.
    stride_ = CeilDiv(left_.depth(), unit) * unit + 64;
    Index limit = kBlock / (stride_ * kernels_.left_bytes);
    if (left_.row_scratch() > 0) {
      limit = std::min(limit, kBlock / left_.row_scratch());
    }
    const Index rows = EvenSize(all_rows, std::max<Index>(kernels_.rows, limit),
                                kernels_.rows);
    // A panel that few rows use takes more time to pack than to multiply: short
    // panels visit each cache line of the right operand once.
    constexpr Index kFewRows = 4, kShort = 64;
    const Index longest =
        all_rows < kFewRows
            ? kShort
            : kPanel / (kernels_.columns * kernels_.right_bytes);
    const Index span = EvenSize(left_.depth(), longest, unit);
    const Index block_bytes = rows * stride_ * kernels_.left_bytes;
    const Index panel_bytes = span * kernels_.columns * kernels_.right_bytes;
    const Index ones = CeilDiv(span, kOnes) * kOnes;
    const Index ones_bytes = ones * kernels_.left_bytes;
    const Index find_bytes = left_.scratch() + rows * left_.row_scratch();
    Scratch scratch(
        rows * left_.runs() * sizeof(const std::uint8_t*) +
        (rows + kernels_.columns * (kernels_.rows + 1)) * sizeof(std::int32_t) +
        block_bytes + panel_bytes + kLine + ones_bytes + find_bytes);
    if (!scratch.ok()) return false;
    starts_ = scratch.Take<const std::uint8_t*>(rows * left_.runs());
    row_added_ = scratch.Take<std::int32_t>(rows);
    column_added_ = scratch.Take<std::int32_t>(kernels_.columns);
    tile_ = scratch.Take<std::int32_t>(kernels_.rows * kernels_.columns);
    block_ = scratch.Take<char>(block_bytes);
    panel_ = Aligned(scratch.Take<char>(panel_bytes + kLine));
    ones_ = scratch.Take<char>(ones_bytes);
    find_ = scratch.Take<std::uint8_t>(find_bytes);
    if (left_rest_ != 0) FillOnes(ones);
    for (Index row = part_.first_row; row < part_.end_row; row += rows) {
      const Index count = std::min(rows, part_.end_row - row);
      PackLeft(row, count);
      // Runs once even if the depth is 0: the sums are then zeros.
      for (Index k = 0; k == 0 || k < left_.depth(); k += span) {
        Block(row, count, k, std::min(span, left_.depth() - k));
      }
    }
    return true;
  }

 private:
  char* LeftAt(Index row, Index k) const {
    return block_ + (row * stride_ + k) * kernels_.left_bytes;
  }

  void FillOnes(Index count) const {
    std::uint8_t some[kOnes];
    std::fill_n(some, kOnes, 1);
    for (Index i = 0; i < count; i += kOnes) {
      kernels_.pack_left(kOnes, some, 0, ones_ + i * kernels_.left_bytes);
    }
  }

  // Copies rows of the left operand to the block, and zeros up to a whole tile.
  void PackLeft(Index first, Index count) const {
    left_.Find(first, count, find_, starts_);
    const Index length = left_.length();
    for (Index i = 0; i < count; ++i) {
      for (Index r = 0; r < left_.runs(); ++r) {
        kernels_.pack_left(length, starts_[i * left_.runs() + r], left_shift_,
                           LeftAt(i, r * length));
      }
      std::memset(LeftAt(i, left_.depth()), 0,
                  (stride_ - left_.depth()) * kernels_.left_bytes);
    }
    const Index whole = CeilDiv(count, kernels_.rows) * kernels_.rows;
    std::memset(LeftAt(count, 0), 0,
                (whole - count) * stride_ * kernels_.left_bytes);
  }

  // Computes rows of the output for `depth` elements of the operands' rows and
  // columns, starting with k.
  void Block(Index row, Index count, Index k, Index depth) const {
    const Index whole = CeilDiv(count, kernels_.rows) * kernels_.rows;
    for (Index i = 0; i < whole; ++i) {
      row_added_[i] =
          right_rest_ == 0
              ? 0
              : static_cast<std::int32_t>(right_rest_ *
                                          kernels_.sum(depth, LeftAt(i, k)));
    }
    Index column = part_.first_column;
    for (; column + kernels_.columns <= part_.end_column;
         column += kernels_.columns) {
      Panel(row, count, k, depth, column, kernels_.columns, kernels_.columns,
            kernels_.tile, kernels_.row_tile);
    }
    for (; column < part_.end_column; column += kernels_.lanes) {
      Panel(row, count, k, depth, column,
            std::min<Index>(kernels_.lanes, part_.end_column - column),
            kernels_.lanes, kernels_.narrow_tile, kernels_.narrow_row_tile);
    }
  }

  // The same for some columns, up to the width of a tile.
  void Panel(Index row, Index count, Index k, Index depth, Index column,
             Index columns, Index width, ByteKernels::Tile tile,
             ByteKernels::Tile row_tile) const {
    const Index offset = right_.is_transposed ? column * right_.stride + k
                                              : k * right_.stride + column;
    kernels_.pack_right(depth, right_.data + offset, right_.stride,
                        right_.is_transposed, columns, width, right_shift_,
                        panel_);
    std::fill_n(column_added_, width, 0);
    ByteTileWork work;
    work.depth = CeilDiv(depth, kernels_.unit) * kernels_.unit;
    work.left_stride = stride_;
    work.panel = panel_;
    work.column_added = column_added_;
    if (left_rest_ != 0) {
      // The sums of the panel's columns: products with a row of ones.
      const std::int32_t added =
          right_rest_ * static_cast<std::uint32_t>(depth);
      work.left = ones_;
      work.row_added = &added;
      work.c = column_added_;
      work.c_stride = 0;
      work.accumulate = false;
      row_tile(work);
      for (Index j = 0; j < width; ++j) {
        column_added_[j] = left_rest_ * column_added_[j];
      }
    }
    for (Index i = 0; i < count; i += kernels_.rows) {
      const Index rows = std::min<Index>(kernels_.rows, count - i);
      const bool is_whole = rows == kernels_.rows && columns == width;
      std::int32_t* const to = out_ + (row + i) * out_stride_ + column;
      work.left = LeftAt(i, k);
      work.row_added = row_added_ + i;
      work.c = is_whole ? to : tile_;
      work.c_stride = is_whole ? out_stride_ : width;
      work.accumulate = is_whole && k > 0;
      (rows == 1 ? row_tile : tile)(work);
      if (!is_whole) CopyTile(rows, columns, width, to, k > 0);
    }
  }

  void CopyTile(Index rows, Index columns, Index width, std::int32_t* to,
                bool accumulate) const {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        std::int32_t& element = to[i * out_stride_ + j];
        const std::uint32_t before = accumulate ? element : 0;
        element = before + tile_[i * width + j];
      }
    }
  }

  const ByteKernels& kernels_;
  const ByteRows& left_;
  const int left_shift_;
  const std::uint32_t left_rest_;
  const ByteMatrix right_;
  const int right_shift_;
  const std::uint32_t right_rest_;
  const Part part_;
  std::int32_t* const out_;
  const Index out_stride_;
  Index stride_ = 0;
  const std::uint8_t** starts_ = nullptr;
  std::int32_t* row_added_ = nullptr;
  std::int32_t* column_added_ = nullptr;
  std::int32_t* tile_ = nullptr;
  char* block_ = nullptr;
  char* panel_ = nullptr;
  char* ones_ = nullptr;
  std::uint8_t* find_ = nullptr;
};

}  // namespace

void ByteMatrixRows::Find(Index first, Index count, std::uint8_t* scratch,
                          const std::uint8_t** starts) const {
  for (Index i = 0; i < count; ++i) {
    if (matrix_.is_transposed) {
      std::uint8_t* const row = scratch + i * length();
      for (Index k = 0; k < length(); ++k) {
        row[k] = matrix_.data[first + i + k * matrix_.stride];
      }
      starts[i] = row;
    } else {
      starts[i] = matrix_.data + (first + i) * matrix_.stride;
    }
  }
}

bool MultiplyBytes(const ByteKernels& kernels, const ByteRows& left,
                   std::int32_t left_zero, const ByteMatrix& right,
                   std::int32_t right_zero, const Part& part, std::int32_t* out,
                   Index out_stride) {
  if (part.end_row <= part.first_row || part.end_column <= part.first_column) {
    return true;
  }
  return ByteWorker(kernels, left, left_zero, right, right_zero, part, out,
                    out_stride)
      .Run();
}

void DepthwiseRow(const Window& window, const std::uint8_t* image,
                  const std::int16_t* filters, const std::int32_t* initial,
                  Index row, const std::uint8_t* outside,
                  const std::uint8_t** scratch, std::int32_t* out) {
  for (Index column = 0; column < window.columns.out; ++column) {
    if (IsNextToFull(window.columns, column)) {
      MoveRight(window, window.taps(), outside, scratch, scratch);
    } else {
      FindElements(window, image, row, column, outside, scratch);
    }
    FilterBytes(window.taps(), scratch, filters, initial, window.channels, out);
    out += window.channels;
  }
}

}  // namespace math
}  // namespace tfcarve
