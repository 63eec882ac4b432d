// Functions of tools/runtime/math that compute nothing. A program that defines
// them, and that links the library after them, has overrides that are wrong.

#include "tools/runtime/math/byte_kernels.h"
#include "tools/runtime/math/byte_loops.h"
#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

const Kernels& SelectedKernels() {
  static const Kernels kWrong = [] {
    Kernels kernels = *kAllKernels[0];
    const Kernels::Tile nothing = [](const TileWork&) {};
    for (Kernels::Tile& tile : kernels.tiles) tile = nothing;
    for (Kernels::Tile& tile : kernels.narrow_tiles) tile = nothing;
    kernels.streaming_tile = nullptr;
    kernels.combine_rows = [](Index, const float*, const float*, Index, Index,
                              float*) {};
    kernels.dot_rows = kernels.combine_rows;
    return kernels;
  }();
  return kWrong;
}

const DepthwiseLoop kDepthwise[kInstructionSetCount] = {
    [](const DepthwiseWork&) {}};

const FinishRowLoop kFinishRow[kInstructionSetCount] = {
    [](const Finish&, Index, Index, const float*, float*) {}};

int SelectedInstructionSet() { return 0; }

const ByteKernels& SelectedByteKernels() {
  static const ByteKernels kWrong = [] {
    ByteKernels kernels = *kAllByteKernels[0];
    kernels.tile = [](const ByteTileWork&) {};
    kernels.narrow_tile = kernels.tile;
    kernels.row_tile = kernels.tile;
    kernels.narrow_row_tile = kernels.tile;
    kernels.requantize = [](Index, const std::int32_t*, std::int64_t,
                            std::int64_t, std::uint8_t*) {};
    return kernels;
  }();
  return kWrong;
}

void LimitBytes(Index, const std::uint8_t*, std::uint8_t, std::uint8_t,
                std::uint8_t*) {}

void FindRange(Index, const std::int32_t*, std::int32_t*, std::int32_t*) {}

void AddColumns(Index, Index, const std::uint8_t*, const std::int32_t (&)[256],
                const std::int32_t*, std::int32_t*) {}

void AddTables(Index, const std::uint8_t*, const std::int32_t (&)[256],
               const std::uint8_t*, const std::int32_t (&)[256],
               std::int32_t*) {}

void LargestBytes(Index, const std::uint8_t* const*, Index, std::uint8_t*) {}

void MeanOfBytes(Index, const std::uint8_t* const*, Index, std::uint8_t*) {}

}  // namespace math
}  // namespace tfcarve
