#include "tools/runtime/math/product.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tools/runtime/math/blocks.h"

namespace tfcarve {
namespace math {
namespace {

// Floats of a panel of the right operand: most of it fits into a first-level
// cache. Tiles that stream a panel also read it fast enough from a second-level
// cache.
constexpr Index kPanel = 6 * 1024;
constexpr Index kStreamedPanel = 16 * 1024;
// Floats of a block of the left operand, for a second-level cache.
constexpr Index kBlock = 96 * 1024;
// Panels whose sums are added to each other one by one: see kTerms.
constexpr Index kPanels = 16;

// Computes a part of a product in one thread.
class Worker {
 public:
  Worker(const Kernels& kernels, const Rows& left, const Matrix& right,
         const Part& part, const Finish* finish, float* out, Index out_stride)
      : kernels_(kernels),
        left_(left),
        right_(right),
        part_(part),
        finish_(finish),
        out_(out),
        out_stride_(out_stride) {}

  bool Tiles() {
    // A panel covers several runs, or a part of one.
    const bool is_streamed = kernels_.streaming_tile != nullptr;
    const Index limit =
        (is_streamed ? kStreamedPanel : kPanel) / kernels_.columns;
    const Index length = EvenSize(left_.length(), limit, kernels_.lanes);
    const Index runs =
        length < left_.length()
            ? 1
            : std::max<Index>(1, limit / std::max<Index>(1, left_.length()));
    const Index rows = RowsAtATime(kBlock / (runs * length));
    const Index panel_size = runs * length * kernels_.columns;
    const Index tile_size = kernels_.rows * kernels_.columns;
    const Index left_size = left_.scratch() + rows * left_.row_scratch();
    const Index starts_size = rows * left_.runs();
    const Index columns = part_.end_column - part_.first_column;
    const Index panels =
        CeilDiv(left_.runs(), runs) * CeilDiv(left_.length(), length);
    const Index others_size = panels > kPanels ? rows * columns : 0;
    Scratch scratch(
        starts_size * sizeof(const float*) +
        (panel_size + tile_size + kernels_.columns + others_size + left_size) *
            sizeof(float));
    if (!scratch.ok()) return false;
    starts_ = scratch.Take<const float*>(starts_size);
    panel_ = scratch.Take<float>(panel_size);
    tile_ = scratch.Take<float>(tile_size);
    added_ = scratch.Take<float>(kernels_.columns);
    std::fill_n(added_, kernels_.columns, 0);
    others_ = scratch.Take<float>(others_size);
    float* const of_left = scratch.Take<float>(left_size);
    for (Index row = part_.first_row; row < part_.end_row; row += rows) {
      const Index count = std::min(rows, part_.end_row - row);
      left_.Find(row, count, of_left, starts_);
      float* const own = out_ + row * out_stride_ + part_.first_column;
      Sums sums{own, out_stride_, 0};
      // Both run once even if there are no elements: the sums are then zeros.
      for (Index r = 0; r == 0 || r < left_.runs(); r += runs) {
        for (Index k = 0; k == 0 || k < left_.length(); k += length) {
          if (sums.panels == kPanels) {
            AddOthers(sums, count, own);
            sums = {others_, columns, 0};
          }
          Block({r, std::min(runs, left_.runs() - r), k,
                 std::min(length, left_.length() - k)},
                sums, count);
          ++sums.panels;
        }
      }
      if (sums.data == others_) {
        AddOthers(sums, count, own);
        if (finish_ != nullptr) {
          FinishRows(finish_->From(part_.first_column), count, columns,
                     out_stride_, own);
        }
      }
    }
    return true;
  }

  // For an output of one row: a vector times a matrix.
  bool OneRow() {
    const Index left_size = left_.scratch() + left_.row_scratch();
    const Index columns = part_.end_column - part_.first_column;
    Scratch scratch(left_.runs() * sizeof(const float*) +
                    (left_.depth() + left_size + columns) * sizeof(float));
    if (!scratch.ok()) return false;
    starts_ = scratch.Take<const float*>(left_.runs());
    float* const joined = scratch.Take<float>(left_.depth());
    float* const sums = scratch.Take<float>(columns);
    left_.Find(part_.first_row, 1, scratch.Take<float>(left_size), starts_);
    const float* row = joined;
    if (left_.runs() == 1) {
      row = starts_[0];
    } else {
      for (Index r = 0; r < left_.runs(); ++r) {
        std::copy_n(starts_[r], left_.length(), joined + r * left_.length());
      }
    }
    const Index column = part_.first_column;
    float* const to = out_ + part_.first_row * out_stride_ + column;
    if (right_.is_transposed) {
      kernels_.dot_rows(left_.depth(), row,
                        right_.data + column * right_.stride, right_.stride,
                        columns, to);
    } else {
      CombineRows(row, columns, sums, to);
    }
    if (finish_ != nullptr)
      kFinishRow[kernels_.number](*finish_, column, columns, to, to);
    return true;
  }

  // For an output of one column, if the column of `right` is contiguous.
  bool OneColumn() {
    const Index rows = RowsAtATime(kBlock / std::max<Index>(1, left_.depth()));
    const Index left_size = left_.scratch() + rows * left_.row_scratch();
    Scratch scratch(rows * left_.runs() * sizeof(const float*) +
                    left_size * sizeof(float));
    if (!scratch.ok()) return false;
    starts_ = scratch.Take<const float*>(rows * left_.runs());
    float* const of_left = scratch.Take<float>(left_size);
    for (Index row = part_.first_row; row < part_.end_row; row += rows) {
      const Index count = std::min(rows, part_.end_row - row);
      left_.Find(row, count, of_left, starts_);
      for (Index i = 0; i < count; ++i) {
        double sum = 0;
        for (Index r = 0; r < left_.runs(); ++r) {
          float some;
          kernels_.dot_rows(left_.length(), right_.data + r * left_.length(),
                            starts_[i * left_.runs() + r], 0, 1, &some);
          sum += some;
        }
        out_[(row + i) * out_stride_] = static_cast<float>(sum);
      }
      if (finish_ != nullptr) {
        FinishRows(*finish_, count, 1, out_stride_, out_ + row * out_stride_);
      }
    }
    return true;
  }

 private:
  // A part of each row of the left operand: some runs, and some of their
  // elements.
  struct Span {
    Index first_run;
    Index runs;
    Index offset;
    Index length;
  };

  // The sums of some rows and all columns of the part: the output, or
  // `others_`, which are added to it.
  struct Sums {
    float* data;
    Index stride;
    Index panels;  // whose products they contain
  };

  // out += added
  void Add(Index size, const float* added, float* out) const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    kFinishRow[kernels_.number](
        {nullptr, nullptr, added, -kInfinity, kInfinity}, 0, size, out, out);
  }

  // Adds rows of sums to the output, unless they are there.
  void AddOthers(const Sums& sums, Index rows, float* out) const {
    if (sums.data == out) return;
    for (Index i = 0; i < rows; ++i) {
      Add(sums.stride, sums.data + i * sums.stride, out + i * out_stride_);
    }
  }

  // Multiplies a row of the left operand by the columns of the part. `sums` has
  // space for these.
  void CombineRows(const float* row, Index columns, float* sums,
                   float* to) const {
    const float* const right = right_.data + part_.first_column;
    // Runs once even if there are no terms: the sums are then zeros.
    for (Index k = 0; k == 0 || k < left_.depth(); k += kTerms) {
      kernels_.combine_rows(std::min(kTerms, left_.depth() - k), row + k,
                            right + k * right_.stride, right_.stride, columns,
                            k == 0 ? to : sums);
      if (k > 0) Add(columns, sums, to);
    }
  }

  // Returns at most `limit` rows; fewer if they need scratch space.
  Index RowsAtATime(Index limit) const {
    if (left_.row_scratch() > 0) {
      limit = std::min(limit, kBlock / left_.row_scratch());
    }
    return EvenSize(part_.end_row - part_.first_row,
                    std::max<Index>(kernels_.rows, limit), kernels_.rows);
  }

  void Block(const Span& span, const Sums& sums, Index count) {
    Index column = part_.first_column;
    while (column < part_.end_column) {
      const Index columns =
          std::min<Index>(kernels_.columns, part_.end_column - column);
      Panel(span, sums, count, column, columns);
      column += columns;
    }
  }

  // Returns the number of rows to compute with whole tiles. If few rows would
  // remain, the last whole tile is left out, too: two tiles with half of these
  // rows each take less time than a whole one and a tile of few rows, which
  // waits for its own results. Not for NEON of armv7, whose loop for a whole
  // tile is hand-written.
  Index WholeTiles(Index count) const {
    const Index few = kernels_.rows > 4 ? kernels_.rows / 3 : 0;
    const Index rest = count % kernels_.rows;
    const Index whole = count - rest;
    const bool has_few = rest > 0 && rest <= few && whole > 0;
    return has_few ? whole - kernels_.rows : whole;
  }

  // Multiplies rows of the left operand by at most the columns of a tile.
  void Panel(const Span& span, const Sums& sums, Index count, Index column,
             Index columns) {
    float* const out = sums.data + column - part_.first_column;
    const bool is_wide = columns > kernels_.lanes;
    const Index width = is_wide ? kernels_.columns : kernels_.lanes;
    const Kernels::Tile* const tiles =
        is_wide ? kernels_.tiles : kernels_.narrow_tiles;
    const Index whole = WholeTiles(count);
    const Finish finish = FinishOf(span, sums, column);
    const bool is_finished_by_tiles =
        finish.added != nullptr && finish.shift == nullptr;
    const Finish of_tile = FinishOfTile(finish, columns, width);
    TileWork work = WorkOf(span);
    work.accumulate = sums.panels > 0;
    work.finish = is_finished_by_tiles ? &of_tile : nullptr;
    Index i = 0;
    const auto multiply = [&](Kernels::Tile tile, Index rows) {
      work.starts = starts_ + i * left_.runs() + span.first_run;
      MultiplyTile(tile, rows, columns, width, out + i * sums.stride,
                   sums.stride, &work);
      i += rows;
    };
    if (kernels_.streaming_tile == nullptr || right_.is_transposed ||
        columns < kernels_.columns || whole == 0) {
      Pack(span, column, columns, width);
    } else {
      work.from = right_.data + FirstOf(span) * right_.stride + column;
      work.from_stride = right_.stride;
      work.ahead = NextPanel(span, column);
      work.ahead_stride = right_.stride;
      // Each tile prefetches one cache line of every row of the next panel.
      const Index streamed = kernels_.rows * (kernels_.columns / kLine);
      while (i < std::min(whole, streamed)) {
        multiply(kernels_.streaming_tile, kernels_.rows);
        work.from = panel_;
        work.from_stride = kernels_.columns;
        work.ahead += kLine;
      }
    }
    while (i < whole) multiply(tiles[kernels_.rows - 1], kernels_.rows);
    work.finish = nullptr;
    while (i < count) {
      const Index rows = EvenSize(count - i, kernels_.rows, 1);
      multiply(tiles[rows - 1], rows);
    }
    const Index finished = is_finished_by_tiles ? whole : 0;
    FinishRows(finish, count - finished, columns, sums.stride,
               out + finished * sums.stride);
  }

  // Computes `rows` rows and `columns` columns of the output at `to` with a
  // tile of `width` columns.
  void MultiplyTile(Kernels::Tile tile, Index rows, Index columns, Index width,
                    float* to, Index to_stride, TileWork* work) {
    if (columns == width) {
      work->c = to;
      work->c_stride = to_stride;
      RunTile(tile, width, *work);
      return;
    }
    work->c = tile_;
    work->c_stride = width;
    if (work->accumulate) Copy(rows, columns, to, to_stride, tile_, width);
    RunTile(tile, width, *work);
    Copy(rows, columns, tile_, width, to, to_stride);
  }

  // Runs a tile of `width` columns with at most kTerms terms at a time.
  static void RunTile(Kernels::Tile tile, Index width, const TileWork& work) {
    if (work.runs * work.length <= kTerms) {
      tile(work);
    } else {
      RunParts(tile, width, work);
    }
  }

  // Not a part of the loops for small products, which it would make slower.
  __attribute__((noinline)) static void RunParts(Kernels::Tile tile,
                                                 Index width,
                                                 const TileWork& whole) {
    const Index length = std::min(whole.length, kTerms);
    const Index runs = kTerms / length;
    TileWork work = whole;
    for (Index r = 0; r < whole.runs; r += runs) {
      work.starts = whole.starts + r;
      work.runs = std::min(runs, whole.runs - r);
      for (Index k = 0; k < whole.length; k += length) {
        const Index first = r * whole.length + k;
        work.offset = whole.offset + k;
        work.length = std::min(length, whole.length - k);
        work.panel = whole.panel + first * width;
        work.from = whole.from + first * whole.from_stride;
        work.ahead = whole.ahead + first * whole.ahead_stride;
        work.accumulate = whole.accumulate || first > 0;
        const Index end = first + work.runs * work.length;
        const bool is_last = end == whole.runs * whole.length;
        work.finish = is_last ? whole.finish : nullptr;
        tile(work);
      }
    }
  }

  // Returns the Finish for a tile of `width` columns, of which the output has
  // `columns`: a tile reads as many numbers to add as it has columns.
  Finish FinishOfTile(const Finish& finish, Index columns, Index width) const {
    if (finish.added == nullptr || columns == width) return finish;
    Finish of_tile = finish;
    std::copy_n(finish.added, columns, added_);
    of_tile.added = added_;
    return of_tile;
  }

  TileWork WorkOf(const Span& span) const {
    TileWork work = {};
    work.runs = span.runs;
    work.length = span.length;
    work.starts_stride = left_.runs();
    work.offset = span.offset;
    work.panel = panel_;
    return work;
  }

  Index FirstOf(const Span& span) const {
    return span.first_run * left_.length() + span.offset;
  }

  Index EndOf(const Span& span) const {
    return FirstOf(span) + span.runs * span.length;
  }

  // Returns the Finish for the columns from `column` on; empty if their sums
  // are not complete with this span.
  Finish FinishOf(const Span& span, const Sums& sums, Index column) const {
    const bool is_done = EndOf(span) == left_.depth() && sums.data != others_;
    return is_done && finish_ != nullptr ? finish_->From(column) : Finish{};
  }

  void FinishRows(const Finish& finish, Index count, Index columns,
                  Index stride, float* data) const {
    if (finish.added == nullptr) return;
    kFinishRows[kernels_.number](finish, columns, count, stride, data);
  }

  // Returns the start of the panel that is used next, in this block or in the
  // next one of the left operand.
  const float* NextPanel(const Span& span, Index column) const {
    column += kernels_.columns;
    Index first = FirstOf(span);
    if (column >= part_.end_column) {
      column = part_.first_column;
      first = EndOf(span) < left_.depth() ? EndOf(span) : 0;
    }
    return right_.data + first * right_.stride + column;
  }

  void Pack(const Span& span, Index column, Index columns, Index width) {
    const Index first = FirstOf(span);
    const Index depth = EndOf(span) - first;
    if (right_.is_transposed) {
      kernels_.pack_transposed(depth,
                               right_.data + column * right_.stride + first,
                               right_.stride, columns, width, panel_);
    } else {
      kernels_.pack(depth, right_.data + first * right_.stride + column,
                    right_.stride, columns, width, panel_);
    }
  }

  // Copies a part of a tile, most of it four elements at a time.
  static void Copy(Index rows, Index columns, const float* from,
                   Index from_stride, float* to, Index to_stride) {
    constexpr Index kFour = 4;
    for (; rows > 0; --rows, from += from_stride, to += to_stride) {
      Index j = 0;
      for (; j + kFour <= columns; j += kFour) {
        std::memcpy(to + j, from + j, kFour * sizeof(float));
      }
      for (; j < columns; ++j) to[j] = from[j];
    }
  }

  const Kernels& kernels_;
  const Rows& left_;
  const Matrix right_;
  const Part part_;
  const Finish* const finish_;
  float* const out_;
  const Index out_stride_;
  const float** starts_ = nullptr;
  float* panel_ = nullptr;
  float* tile_ = nullptr;
  float* added_ = nullptr;
  float* others_ = nullptr;
};

}  // namespace

void MatrixRows::Find(Index first, Index count, float* scratch,
                      const float** starts) const {
  if (matrix_.is_transposed) {
    kernels_.pack_transposed(count, matrix_.data + first, matrix_.stride,
                             length(), length(), scratch);
    for (Index i = 0; i < count; ++i) starts[i] = scratch + i * length();
    return;
  }
  for (Index i = 0; i < count; ++i) {
    starts[i] = matrix_.data + (first + i) * matrix_.stride;
  }
}

// Each part packs the panels of the right operand that it needs. Therefore
// products are split by rows only if they have many rows, otherwise by columns.
Parts::Parts(const TileSize& tile, Index rows, Index columns, int threads)
    : rows_(rows),
      columns_(columns),
      tile_rows_(tile.rows),
      tile_columns_(tile.columns),
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
              const Part& part, const Finish* finish, float* out,
              Index out_stride) {
  const Index rows = part.end_row - part.first_row;
  if (rows <= 0 || part.end_column <= part.first_column) return true;
  Worker worker(kernels, left, right, part, finish, out, out_stride);
  if (rows == 1) return worker.OneRow();
  if (part.end_column == 1 && (right.is_transposed || right.stride == 1)) {
    return worker.OneColumn();
  }
  return worker.Tiles();
}

}  // namespace math
}  // namespace tfcarve
