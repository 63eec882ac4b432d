// Compares the products of bytes in tools/runtime/math with plain loops, for
// each instruction set of the library that this CPU supports.
//
// - byte_math_test: prints a line for each instruction set and its differences.
// - byte_math_test WRONG: runs only the check WRONG, with wrong expected
//   values; it must fail.
// - byte_math_test --selected: prints the instruction set that is selected.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/runtime/math/math_checks.h"
#include "tools/runtime/math/byte_kernels.h"
#include "tools/runtime/math/byte_loops.h"
#include "tools/runtime/math/byte_product.h"

namespace {

using tfcarve::math::Axis;
using tfcarve::math::ByteKernels;
using tfcarve::math::Index;
using tfcarve::math::Window;
using Bytes = std::vector<std::uint8_t>;
using Ints = std::vector<std::int32_t>;

constexpr std::int32_t kUntouched = -777;  // after the end of each output
constexpr Index kMargin = 40;

void Equal(std::int32_t actual, std::uint32_t expected) {
  if (current == wrong_check) ++expected;
  if (static_cast<std::uint32_t>(actual) != expected) {
    Fail(actual, static_cast<std::int32_t>(expected));
  }
}

// Returns bytes of all values, many of which are the maximum or the minimum.
Bytes Random(Index size) {
  static unsigned state = 1;
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    const unsigned drawn = state >> 16;
    byte = drawn % 3 == 0 ? (drawn % 2 == 0 ? 0 : 255) : drawn >> 4;
  }
  return bytes;
}

Ints Output(Index size) { return Ints(size + kMargin, kUntouched); }

void CheckMargin(const Ints& output) {
  for (Index i = 1; i <= kMargin; ++i) {
    Equal(output[output.size() - i], kUntouched);
  }
}

// A product's zero points: of ordinary ranges, and of ranges without 0.
constexpr std::int32_t kZeros[][2] = {
    {0, 0},
    {0, 128},
    {128, 0},
    {127, 131},
    {255, 255},
    {-9, 300},
    {300, -9},
    {1 << 30, 7},
    {7, 1 << 30},
    {-100000, 100000},
    {std::numeric_limits<std::int32_t>::min(),
     std::numeric_limits<std::int32_t>::max()}};

struct Shape {
  Index rows;
  Index columns;
  Index depth;
  int threads;
};

void CheckProduct(const ByteKernels& kernels, const Shape& shape,
                  std::int32_t a_zero, std::int32_t b_zero,
                  bool left_transposed, bool right_transposed) {
  const auto& [rows, columns, depth, threads] = shape;
  const Bytes a = Random(rows * depth), b = Random(depth * columns);
  Ints out = Output(rows * columns);
  const tfcarve::math::ByteMatrixRows left(
      {a.data(), left_transposed ? rows : depth, left_transposed}, depth);
  const tfcarve::math::Parts parts(kernels, rows, columns, threads);
  for (Index part = 0; part < parts.count(); ++part) {
    const bool is_computed = tfcarve::math::MultiplyBytes(
        kernels, left, a_zero,
        {b.data(), right_transposed ? depth : columns, right_transposed},
        b_zero, parts.At(part), out.data(), columns);
    Equal(is_computed, true);
  }
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      std::uint32_t sum = 0;
      for (Index k = 0; k < depth; ++k) {
        const std::uint32_t x =
            left_transposed ? a[k * rows + i] : a[i * depth + k];
        const std::uint32_t y =
            right_transposed ? b[j * depth + k] : b[k * columns + j];
        sum += (x - a_zero) * (y - b_zero);
      }
      Equal(out[i * columns + j], sum);
    }
  }
  CheckMargin(out);
}

void CheckProducts(const ByteKernels& kernels) {
  // Single rows and columns, less than a tile, parts of a tile, and more than
  // the block of a cache.
  constexpr Shape kShapes[] = {
      {1, 1, 1, 3},     {1, 5, 7, 3},     {5, 1, 7, 3},    {1, 200, 300, 3},
      {200, 1, 300, 3}, {33, 65, 17, 3},  {64, 64, 64, 1}, {130, 70, 33, 3},
      {257, 3, 129, 3}, {17, 40, 900, 3}, {7, 33, 5, 3},   {9, 31, 3, 3},
      {12, 16, 1, 3},   {8, 8, 0, 3},     {3, 40, 4, 3},   {150, 9, 3000, 1},
      {530, 9, 200, 1}, {20, 200, 9, 3},  {6, 48, 2, 1},   {8, 32, 65, 1}};
  for (const Shape& shape : kShapes) {
    for (const auto& [a_zero, b_zero] : kZeros) {
      for (const bool left : {false, true}) {
        for (const bool right : {false, true}) {
          CheckProduct(kernels, shape, a_zero, b_zero, left, right);
        }
      }
    }
  }
}

Axis AxisOf(Index in, Index filter, Index stride, Index padding) {
  const Index out =
      in + 2 * padding < filter ? 0 : (in + 2 * padding - filter) / stride + 1;
  return {in, out, filter, stride, 1, padding};
}

// Returns the index of the pixel under an element of the filter; -1 outside of
// the image.
Index PixelUnder(const Window& window, Index row, Index column, Index tap) {
  const Index y = window.rows.At(row, tap / window.columns.filter);
  const Index x = window.columns.At(column, tap % window.columns.filter);
  const bool is_inside =
      y >= 0 && y < window.rows.in && x >= 0 && x < window.columns.in;
  return is_inside ? y * window.columns.in + x : -1;
}

void CheckConvolution(const ByteKernels& kernels, const Window& window,
                      std::uint8_t image_zero, std::uint8_t filter_zero) {
  constexpr Index kImages = 2, kFilters = 19;
  const Index channels = window.channels;
  const Bytes images = Random(kImages * window.image());
  const Bytes filter = Random(window.taps() * channels * kFilters);
  const Index pixels = kImages * window.pixels();
  Ints out = Output(pixels * kFilters);
  tfcarve::math::BytePatches left(window, images.data(), channels);
  left.SetBorder(image_zero);
  tfcarve::math::MultiplyBytes(kernels, left, image_zero,
                               {filter.data(), kFilters, false}, filter_zero,
                               {0, pixels, 0, kFilters}, out.data(), kFilters);
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const std::uint8_t* image =
        images.data() + pixel / window.pixels() * window.image();
    const Index row = pixel % window.pixels() / window.columns.out;
    const Index column = pixel % window.columns.out;
    for (Index f = 0; f < kFilters; ++f) {
      std::uint32_t sum = 0;
      for (Index tap = 0; tap < window.taps(); ++tap) {
        const Index under = PixelUnder(window, row, column, tap);
        if (under < 0) continue;
        for (Index c = 0; c < channels; ++c) {
          sum += (image[under * channels + c] - image_zero) *
                 (filter[(tap * channels + c) * kFilters + f] - filter_zero);
        }
      }
      Equal(out[pixel * kFilters + f], sum);
    }
  }
  CheckMargin(out);
}

void CheckConvolutions(const ByteKernels& kernels) {
  for (const Index size : {1, 5, 9}) {
    for (const Index channels : {1, 3, 16}) {
      for (const Index filter : {1, 2, 3}) {
        for (const Index stride : {1, 2}) {
          // TensorFlow's quantized convolutions may skip the first elements.
          for (const Index padding : {-1, 0, 1}) {
            const Window window{AxisOf(size, filter, stride, padding),
                                AxisOf(size + 3, filter, stride, padding),
                                channels};
            if (window.pixels() <= 0) continue;
            CheckConvolution(kernels, window, 0, 128);
            CheckConvolution(kernels, window, 77, 200);
          }
        }
      }
    }
  }
}

// Around the numbers of elements of vectors.
constexpr Index kSizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 70};

// Returns integers of all sizes.
Ints RandomInts(Index size) {
  const Bytes bytes = Random(4 * size);
  Ints ints(size);
  if (size > 0) std::memcpy(ints.data(), bytes.data(), bytes.size());
  for (Index i = 0; i < size; ++i) ints[i] >>= i % 4 * 6;
  return ints;
}

// The result of a loop: bytes with a margin that it must not change.
Bytes ByteOutput(Index size) { return Bytes(size + kMargin, 99); }

void CheckMargin(const Bytes& output) {
  for (Index i = 1; i <= kMargin; ++i) Equal(output[output.size() - i], 99);
}

void CheckRequantize(const ByteKernels& kernels) {
  constexpr std::int64_t kScales[] = {
      0,          1,        65536,      123456789,     2147483648,
      4294967295, -5000000, 4294967296, 6442450944007, 987654321987654321};
  constexpr std::int64_t kAdded[] = {
      0,       32768,   8000000,   -8000000,  -(1 << 29),
      1 << 29, 1 << 30, 1ll << 31, 1ll << 60, -(1ll << 60)};
  for (const Index size : kSizes) {
    const Ints in = RandomInts(size);
    for (const std::int64_t scale : kScales) {
      for (const std::int64_t added : kAdded) {
        Bytes out = ByteOutput(size);
        kernels.requantize(size, in.data(), scale, added, out.data());
        for (Index i = 0; i < size; ++i) {
          const std::int64_t product = static_cast<std::uint64_t>(in[i]) *
                                       static_cast<std::uint64_t>(scale);
          const std::int64_t value = ((product >> 32) + added) >> 16;
          Equal(out[i], value < 0 ? 0 : value > 255 ? 255 : value);
        }
        CheckMargin(out);
      }
    }
  }
}

void CheckShift(const ByteKernels& kernels) {
  for (const Index size : kSizes) {
    const Ints in = RandomInts(size);
    Ints shifts(size);
    for (Index i = 0; i < size; ++i) shifts[i] = (i * 5 + size) % 37 - 3;
    Ints out = Output(size);
    kernels.shift_right(size, in.data(), shifts.data(), out.data());
    for (Index i = 0; i < size; ++i) {
      Equal(out[i], in[i] >> std::min(31, std::max(0, shifts[i])));
    }
    CheckMargin(out);
  }
}

void CheckLimit(const ByteKernels&) {
  for (const Index size : kSizes) {
    const Bytes in = Random(size);
    Bytes out = ByteOutput(size);
    tfcarve::math::LimitBytes(size, in.data(), 30, 200, out.data());
    for (Index i = 0; i < size; ++i) {
      Equal(out[i], in[i] < 30 ? 30 : in[i] > 200 ? 200 : in[i]);
    }
    CheckMargin(out);
  }
}

void CheckRange(const ByteKernels&) {
  for (const Index size : kSizes) {
    const Ints in = RandomInts(size);
    std::int32_t expected_lower = std::numeric_limits<std::int32_t>::max();
    std::int32_t expected_upper = std::numeric_limits<std::int32_t>::min();
    for (const std::int32_t each : in) {
      if (each < expected_lower) expected_lower = each;
      if (each > expected_upper) expected_upper = each;
    }
    std::int32_t lower, upper;
    tfcarve::math::FindRange(size, in.data(), &lower, &upper);
    Equal(lower, expected_lower);
    Equal(upper, expected_upper);
  }
}

void CheckColumns(const ByteKernels&) {
  const Ints drawn = RandomInts(256);
  std::int32_t table[256];
  std::copy(drawn.begin(), drawn.end(), table);
  for (const Index columns : kSizes) {
    constexpr Index kRows = 3;
    const Bytes in = Random(kRows * columns);
    const Ints added = RandomInts(columns);
    Ints out = Output(kRows * columns);
    tfcarve::math::AddColumns(kRows, columns, in.data(), table, added.data(),
                              out.data());
    for (Index i = 0; i < kRows * columns; ++i) {
      Equal(out[i], static_cast<std::uint32_t>(table[in[i]]) +
                        static_cast<std::uint32_t>(added[i % columns]));
    }
    CheckMargin(out);
  }
}

void CheckTables(const ByteKernels&) {
  std::int32_t tables[2][256];
  for (auto& table : tables) {
    const Ints drawn = RandomInts(256);
    std::copy(drawn.begin(), drawn.end(), table);
  }
  for (const Index size : kSizes) {
    const Bytes a = Random(size), b = Random(size);
    Ints out = Output(size);
    tfcarve::math::AddTables(size, a.data(), tables[0], b.data(), tables[1],
                             out.data());
    for (Index i = 0; i < size; ++i) {
      Equal(out[i], static_cast<std::uint32_t>(tables[0][a[i]]) +
                        static_cast<std::uint32_t>(tables[1][b[i]]));
    }
    CheckMargin(out);
  }
}

void CheckPooling(const ByteKernels&) {
  for (const Index taps : {1, 2, 3, 4, 6, 9, 25, 49, 255, 256, 300}) {
    for (const Index channels : kSizes) {
      const Bytes image = Random(taps * channels);
      std::vector<const std::uint8_t*> pixels(taps);
      for (Index t = 0; t < taps; ++t) pixels[t] = image.data() + t * channels;
      Bytes largest = ByteOutput(channels), mean = ByteOutput(channels);
      tfcarve::math::LargestBytes(taps, pixels.data(), channels,
                                  largest.data());
      tfcarve::math::MeanOfBytes(taps, pixels.data(), channels, mean.data());
      for (Index c = 0; c < channels; ++c) {
        std::uint8_t expected = 0;
        unsigned sum = 0;
        for (Index t = 0; t < taps; ++t) {
          expected = std::max(expected, pixels[t][c]);
          sum += pixels[t][c];
        }
        Equal(largest[c], expected);
        Equal(mean[c], sum / taps);
      }
      CheckMargin(largest);
      CheckMargin(mean);
    }
  }
}

void CheckDepthwiseRow(const Window& window, const Bytes& image,
                       std::uint8_t zero, const std::int8_t* filter, Index row,
                       const Ints& out) {
  const Index channels = window.channels;
  for (Index i = 0; i < window.columns.out * channels; ++i) {
    const Index column = i / channels, c = i % channels;
    std::uint32_t sum = 0;
    for (Index tap = 0; tap < window.taps(); ++tap) {
      const Index under = PixelUnder(window, row, column, tap);
      if (under < 0) continue;
      sum += (image[under * channels + c] - zero) * filter[tap * channels + c];
    }
    Equal(out[i], sum);
  }
  CheckMargin(out);
}

void CheckDepthwise(const ByteKernels&) {
  for (const Index size : {1, 5, 9}) {
    for (const Index channels : kSizes) {
      for (const Index filter_size : {1, 2, 3}) {
        for (const Index stride : {1, 2}) {
          for (const std::uint8_t zero : {0, 77, 255}) {
            const Window window{AxisOf(size, filter_size, stride, 1),
                                AxisOf(size + 3, filter_size, stride, 1),
                                channels};
            const Bytes image = Random(window.image());
            const Bytes filter = Random(window.taps() * channels);
            const auto* signed_filter =
                reinterpret_cast<const std::int8_t*>(filter.data());
            const Bytes outside(channels, zero);
            std::vector<std::int16_t> packed((window.taps() + 1) * channels);
            tfcarve::math::PackFilters(window.taps(), signed_filter, channels,
                                       packed.data());
            Ints initial(channels);
            for (Index i = 0; i < window.taps() * channels; ++i) {
              initial[i % channels] -= zero * signed_filter[i];
            }
            std::vector<const std::uint8_t*> scratch(window.taps());
            for (Index row = 0; row < window.rows.out; ++row) {
              Ints out = Output(window.columns.out * channels);
              tfcarve::math::DepthwiseRow(window, image.data(), packed.data(),
                                          initial.data(), row, outside.data(),
                                          scratch.data(), out.data());
              CheckDepthwiseRow(window, image, zero, signed_filter, row, out);
            }
          }
        }
      }
    }
  }
}

constexpr Check<ByteKernels> kChecks[] = {
    {"products", CheckProducts},     {"convolutions", CheckConvolutions},
    {"requantize", CheckRequantize}, {"limit", CheckLimit},
    {"range", CheckRange},           {"columns", CheckColumns},
    {"tables", CheckTables},         {"pooling", CheckPooling},
    {"depthwise", CheckDepthwise},   {"shift", CheckShift}};

}  // namespace

int main(int argc, char** argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argument == "--selected") {
    std::printf("%s\n", tfcarve::math::SelectedByteKernels().name);
    return 0;
  }
  wrong_check = argument;
  int total = 0;
  for (int i = 0; tfcarve::math::kAllByteKernels[i] != nullptr; ++i) {
    const ByteKernels& kernels = *tfcarve::math::kAllByteKernels[i];
    total += Compare(kernels.name, kernels.is_supported(), kernels, kChecks);
  }
  return total == 0 ? 0 : 1;
}
