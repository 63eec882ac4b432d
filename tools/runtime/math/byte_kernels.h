// The inner loops for products of bytes and for their sums, compiled once for
// each instruction set. All instruction sets compute the same integers; sums
// are modulo 2^32.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_BYTE_KERNELS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_BYTE_KERNELS_H_

#include <cstdint>

#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

// A tile of a product of packed operands:
// c[i][j] = sum over k of left[i][k] * panel[k][j]
//           + row_added[i] + column_added[j],
// or this sum is added to c[i][j].
struct ByteTileWork {
  Index depth;  // of both operands, a multiple of ByteKernels::unit
  const void* left;
  Index left_stride;  // in elements
  const void* panel;
  const std::int32_t* row_added;
  const std::int32_t* column_added;
  std::int32_t* c;
  Index c_stride;
  bool accumulate;
};

// The packed operands have elements of one or two bytes: the bytes, less a
// number. Left: rows. Right: panels of some columns, in groups of adjacent
// rows. Both end with zeros, so that their depth is a multiple of `unit`.
struct ByteKernels : TileSize {
  using Tile = void (*)(const ByteTileWork& work);

  int lanes;  // of a vector of sums; a narrow tile has as many columns
  // The index in kInstructionSets of a set that this CPU must support, too.
  int number;
  const char* name;
  // Whether this machine can run it.
  bool (*is_supported)();
  int unit;
  int left_bytes;   // of an element
  int right_bytes;  // of an element
  // The numbers that may be subtracted from the left operand, from 0 on, and
  // from the right one.
  int max_left_shift;
  int min_right_shift;
  int max_right_shift;

  Tile tile;
  Tile narrow_tile;
  // With a single row.
  Tile row_tile;
  Tile narrow_row_tile;

  // to[k] = from[k] - shift.
  void (*pack_left)(Index length, const std::uint8_t* from, int shift,
                    void* to);
  // Returns the sum of some elements of a packed row.
  std::uint32_t (*sum)(Index length, const void* row);
  // Packs `depth` rows of `columns` columns as a panel of `width` columns, a
  // multiple of `lanes`. Element (k, j) is from[k * stride + j], or
  // from[k + j * stride] if `is_transposed`.
  void (*pack_right)(Index depth, const std::uint8_t* from, Index stride,
                     bool is_transposed, Index columns, Index width, int shift,
                     void* to);
  // out[i] = ((in[i] * scale >> 32) + added) >> 16, limited to a byte; the
  // product modulo 2^64.
  void (*requantize)(Index size, const std::int32_t* in, std::int64_t scale,
                     std::int64_t added, std::uint8_t* out);
  // out[i] = in[i] >> shifts[i], each shift limited to 0 to 31. `out` may be
  // `in`.
  void (*shift_right)(Index size, const std::int32_t* in,
                      const std::int32_t* shifts, std::int32_t* out);
};

// The instruction sets of this library, the best one last, terminated by null.
extern const ByteKernels* const kAllByteKernels[];

// Returns the best kernels that this machine can run and that
// SelectedInstructionSet() permits.
const ByteKernels& SelectedByteKernels();

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_BYTE_KERNELS_H_
