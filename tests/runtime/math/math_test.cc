// Compares tools/runtime/math with plain loops, for each instruction set of the
// library that this CPU supports.
//
// - math_test: prints a line for each instruction set and its differences.
// - math_test WRONG: runs only the check WRONG, with wrong expected values; it
//   must fail.
// - math_test --selected: prints the instruction set that TFCARVE_CPU selects.
//
// Inputs are small integers, so sums are exact in any order and the results
// must be equal. Exp, Sigmoid, Tanh, Erf, Softmax, LogSoftmax and sums of many
// other numbers have a tolerance.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/runtime/math/math_checks.h"
#include "tools/runtime/api/cpu_choice.h"
#include "tools/runtime/math/convolution.h"
#include "tools/runtime/math/kernels.h"
#include "tools/runtime/math/product.h"

namespace {

using tfcarve::math::Axis;
using tfcarve::math::Combine;
using tfcarve::math::Finish;
using tfcarve::math::Index;
using tfcarve::math::InstructionSet;
using tfcarve::math::Kernels;
using tfcarve::math::kInstructionSets;
using tfcarve::math::Map;
using tfcarve::math::Window;
using Floats = std::vector<float>;

constexpr float kUntouched = -777;  // after the end of each output
constexpr Index kMargin = 4;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Checks a value that must be equal, or NaN if `expected` is NaN.
void Equal(float actual, float expected) {
  if (current == wrong_check) expected += 1;
  const bool is_equal =
      std::isnan(expected) ? std::isnan(actual) : actual == expected;
  if (!is_equal) Fail(actual, expected);
}

void Near(float actual, double expected, double tolerance) {
  if (current == wrong_check) expected += 1;
  if (!(std::fabs(actual - expected) <= tolerance)) Fail(actual, expected);
}

// Returns integers from -8 to 8.
Floats Random(Index size) {
  static unsigned state = 1;
  Floats values(size);
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>((state >> 16) % 17) - 8;
  }
  return values;
}

Floats Output(Index size) { return Floats(size + kMargin, kUntouched); }

void CheckMargin(const Floats& output) {
  for (Index i = 1; i <= kMargin; ++i) {
    Equal(output[output.size() - i], kUntouched);
  }
}

float Finished(const Finish* finish, float sum, Index column) {
  if (finish == nullptr) return sum;
  if (finish->shift != nullptr) {
    sum = (sum - finish->shift[column]) * finish->factor[column];
  }
  sum += finish->added[column];
  return std::min(finish->upper, std::max(finish->lower, sum));
}

void CheckProduct(const Kernels& kernels, Index rows, Index columns,
                  Index depth, int threads, bool left_transposed,
                  bool right_transposed, const Finish* finish) {
  const Floats a = Random(rows * depth), b = Random(depth * columns);
  Floats out = Output(rows * columns);
  const tfcarve::math::MatrixRows left(
      kernels, {a.data(), left_transposed ? rows : depth, left_transposed},
      depth);
  const tfcarve::math::Parts parts(kernels, rows, columns, threads);
  for (Index part = 0; part < parts.count(); ++part) {
    const bool is_computed = tfcarve::math::Multiply(
        kernels, left,
        {b.data(), right_transposed ? depth : columns, right_transposed},
        parts.At(part), finish, out.data(), columns);
    Equal(is_computed, true);
  }
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      float sum = 0;
      for (Index k = 0; k < depth; ++k) {
        sum += (left_transposed ? a[k * rows + i] : a[i * depth + k]) *
               (right_transposed ? b[j * depth + k] : b[k * columns + j]);
      }
      Equal(out[i * columns + j], Finished(finish, sum, j));
    }
  }
  CheckMargin(out);
}

void CheckProducts(const Kernels& kernels) {
  // Rows, columns, depth and threads: single rows and columns, less than a
  // tile, parts of a tile, and more than the block of a cache, also with parts
  // of a tile.
  constexpr int kShapes[][4] = {
      {1, 1, 1, 3},
      {1, 5, 7, 3},
      {5, 1, 7, 3},
      {1, 200, 300, 3},
      {200, 1, 300, 3},
      {33, 65, 17, 3},
      {64, 64, 64, 1},
      {130, 70, 33, 3},
      {257, 3, 129, 3},
      {17, 40, 900, 3},
      {7, 33, 5, 3},
      {9, 31, 3, 3},
      {12, 16, 1, 3},
      {8, 8, 0, 3},
      {3, 40, 4, 3},
      {150, 9, 800, 1},
      {530, 9, 200, 1},
      {20, 200, 9, 3},
      {17, 28, 4200, 1},
      {14, 22, 2500, 3},
      // More panels than are added to each other one by one.
      {9, 35, 17000, 1}};
  for (const auto& [rows, columns, depth, threads] : kShapes) {
    const Floats shift = Random(columns), added = Random(columns);
    const Floats factor(columns, 2);
    const Finish with_added{nullptr, nullptr, added.data(), 0, 60};
    const Finish scaled{shift.data(), factor.data(), added.data(), 0, 60};
    for (const Finish* finish :
         {static_cast<const Finish*>(nullptr), &with_added, &scaled}) {
      for (const bool left : {false, true}) {
        for (const bool right : {false, true}) {
          CheckProduct(kernels, rows, columns, depth, threads, left, right,
                       finish);
        }
      }
    }
  }
}

// Products of a million numbers that are not integers.
void CheckLongSums(const Kernels& kernels) {
  constexpr Index kDepth = 1'000'000;
  // A row, a column and tiles.
  constexpr Index kShapes[][2] = {{1, 6}, {6, 1}, {3, 3}};
  for (const auto& [rows, columns] : kShapes) {
    Floats a = Random(rows * kDepth), b = Random(kDepth * columns);
    for (float& value : a) value = 1 + value / 70;
    for (float& value : b) value = 1 + value / 90;
    for (const bool is_transposed : {false, true}) {
      Floats out = Output(rows * columns);
      const tfcarve::math::MatrixRows left(kernels, {a.data(), kDepth, false},
                                           kDepth);
      tfcarve::math::Multiply(
          kernels, left,
          {b.data(), is_transposed ? kDepth : columns, is_transposed},
          {0, rows, 0, columns}, nullptr, out.data(), columns);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          double sum = 0;
          for (Index k = 0; k < kDepth; ++k) {
            sum += static_cast<double>(a[i * kDepth + k]) *
                   b[is_transposed ? j * kDepth + k : k * columns + j];
          }
          Near(out[i * columns + j] / sum, 1, 2e-6);
        }
      }
      CheckMargin(out);
    }
  }
}

Axis AxisOf(Index in, Index filter, Index stride, Index dilation,
            Index padding) {
  const Index extent = (filter - 1) * dilation + 1;
  const Index out =
      in + 2 * padding < extent ? 0 : (in + 2 * padding - extent) / stride + 1;
  return {in, out, filter, stride, dilation, padding};
}

// Calls use(tap, pixel) for each element of the filter that is inside the
// image, with the index of the image's pixel.
template <typename Use>
void ForEachTap(const Window& window, Index row, Index column, Use use) {
  for (Index u = 0; u < window.rows.filter; ++u) {
    for (Index v = 0; v < window.columns.filter; ++v) {
      const Index y = row * window.rows.stride - window.rows.padding +
                      u * window.rows.dilation;
      const Index x = column * window.columns.stride - window.columns.padding +
                      v * window.columns.dilation;
      if (y < 0 || y >= window.rows.in || x < 0 || x >= window.columns.in) {
        continue;
      }
      use(u * window.columns.filter + v, y * window.columns.in + x);
    }
  }
}

void CheckConvolution(const Kernels& kernels, const Window& window) {
  constexpr Index kImages = 2, kFilters = 19;
  const Index channels = window.channels;
  const Floats images = Random(kImages * window.image());
  const Floats filter = Random(window.taps() * channels * kFilters);
  const Index pixels = kImages * window.pixels();
  Floats out = Output(pixels * kFilters);
  const tfcarve::math::Patches left(window, images.data(), channels);
  tfcarve::math::Multiply(kernels, left, {filter.data(), kFilters, false},
                          {0, pixels, 0, kFilters}, nullptr, out.data(),
                          kFilters);
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const float* image =
        images.data() + pixel / window.pixels() * window.image();
    const Index place = pixel % window.pixels();
    for (Index f = 0; f < kFilters; ++f) {
      float sum = 0;
      ForEachTap(window, place / window.columns.out, place % window.columns.out,
                 [&](Index tap, Index from) {
                   for (Index c = 0; c < channels; ++c) {
                     sum += image[from * channels + c] *
                            filter[(tap * channels + c) * kFilters + f];
                   }
                 });
      Equal(out[pixel * kFilters + f], sum);
    }
  }
  CheckMargin(out);
}

void CheckDepthwise(const Kernels& kernels, const Window& window) {
  const Index channels = window.channels;
  const Floats image = Random(window.image());
  const Floats filter = Random(window.taps() * channels);
  const Floats zeros(channels, 0), added = Random(channels);
  const Finish limited{nullptr, nullptr, added.data(), 0, 60};
  std::vector<const float*> scratch(window.taps());
  for (const Finish* finish : {static_cast<const Finish*>(nullptr), &limited}) {
    for (Index row = 0; row < window.rows.out; ++row) {
      Floats out = Output(window.columns.out * channels);
      tfcarve::math::DepthwiseRow(kernels.number, window, image.data(),
                                  filter.data(), row, zeros.data(), finish,
                                  scratch.data(), out.data());
      for (Index column = 0; column < window.columns.out; ++column) {
        for (Index c = 0; c < channels; ++c) {
          float sum = 0;
          ForEachTap(window, row, column, [&](Index tap, Index from) {
            sum += image[from * channels + c] * filter[tap * channels + c];
          });
          Equal(out[column * channels + c], Finished(finish, sum, c));
        }
      }
      CheckMargin(out);
    }
  }
}

template <typename Check>
void ForEachWindow(const Kernels& kernels, Check check) {
  for (const Index size : {1, 5, 9}) {
    for (const Index channels : {1, 3, 4, 16}) {
      for (const Index filter : {1, 2, 3}) {
        for (const Index stride : {1, 2}) {
          for (const Index dilation : {1, 2}) {
            for (const Index padding : {0, 1}) {
              const Window window{
                  AxisOf(size, filter, stride, dilation, padding),
                  AxisOf(size + 3, filter, stride, dilation, padding),
                  channels};
              if (window.pixels() > 0) check(kernels, window);
            }
          }
        }
      }
    }
  }
}

void CheckConvolutions(const Kernels& kernels) {
  ForEachWindow(kernels, CheckConvolution);
  // A filter without elements: the sums are zeros.
  const Axis axis = AxisOf(7, 3, 1, 1, 1), empty = AxisOf(7, 0, 1, 1, 0);
  CheckConvolution(kernels, {empty, axis, 4});
  CheckConvolution(kernels, {axis, empty, 4});
  CheckConvolution(kernels, {empty, axis, 64});
  CheckConvolution(kernels, {empty, empty, 64});
  const Axis single{7, 1, 0, 9, 1, 0};
  CheckConvolution(kernels, {single, single, 64});
}

void CheckDepthwises(const Kernels& kernels) {
  ForEachWindow(kernels, CheckDepthwise);
  const Axis empty = AxisOf(7, 0, 1, 1, 0);
  CheckDepthwise(kernels, {empty, empty, 20});
  // Larger than a second-level cache.
  const Axis axis = AxisOf(300, 3, 2, 1, 1);
  CheckDepthwise(kernels, {axis, axis, 4});
}

// Around the numbers of lanes.
constexpr Index kSizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 70};

void CheckBinary(const Kernels& kernels) {
  struct {
    const Combine* functions;
    float (*expected)(float, float);
  } const kCases[] = {
      {tfcarve::math::kSum, [](float x, float y) { return x + y; }},
      {tfcarve::math::kDifference, [](float x, float y) { return x - y; }},
      {tfcarve::math::kProduct, [](float x, float y) { return x * y; }},
      {tfcarve::math::kSquaredDifference,
       [](float x, float y) { return (x - y) * (x - y); }}};
  constexpr Index kSteps[][2] = {{1, 1}, {0, 1}, {1, 0}};
  for (const Index size : kSizes) {
    const Floats a = Random(size), b = Random(size);
    for (const auto& [a_step, b_step] : kSteps) {
      for (const auto& each : kCases) {
        Floats out = Output(size);
        each.functions[kernels.number](size, a.data(), a_step, b.data(), b_step,
                                       out.data());
        for (Index i = 0; i < size; ++i) {
          Equal(out[i], each.expected(a[i * a_step], b[i * b_step]));
        }
        CheckMargin(out);
      }
    }
  }
  // The sign of zero, alone and in a row.
  const Floats zeros(70, -0.f), ones(70, 1);
  for (const auto& [zero_step, one_step] : kSteps) {
    for (const bool is_first : {false, true}) {
      Floats out = Output(70);
      const float* const a = is_first ? zeros.data() : ones.data();
      const float* const b = is_first ? ones.data() : zeros.data();
      tfcarve::math::kProduct[kernels.number](
          70, a, is_first ? zero_step : one_step, b,
          is_first ? one_step : zero_step, out.data());
      for (Index i = 0; i < 70; ++i) Equal(std::signbit(out[i]), 1);
    }
  }
}

void CheckLimit(const Kernels& kernels) {
  for (const Index size : kSizes) {
    Floats in = Random(size), out = Output(size);
    in[size / 2] = kNan;
    tfcarve::math::kLimit[kernels.number](size, in.data(), -2, 3, out.data());
    for (Index i = 0; i < size; ++i) {
      const float limited = std::min(3.f, std::max(-2.f, in[i]));
      Equal(out[i], std::isnan(in[i]) ? kNan : limited);
    }
    CheckMargin(out);
  }
}

void CheckPooling(const Kernels& kernels) {
  for (const Index size : kSizes) {
    const Floats a = Random(size), b = Random(size);
    const float* const pixels[] = {a.data(), b.data()};
    Floats largest = Output(size), mean = Output(size);
    tfcarve::math::kLargest[kernels.number](2, pixels, size, largest.data());
    tfcarve::math::kMean[kernels.number](2, pixels, size, mean.data());
    for (Index i = 0; i < size; ++i) {
      Equal(largest[i], std::max(a[i], b[i]));
      Equal(mean[i], (a[i] + b[i]) / 2);
    }
    CheckMargin(largest);
    CheckMargin(mean);
  }
  // The maximum ignores NaN in each place.
  const Floats one(70, 1), two(70, 2), nan(70, kNan), low(70, -kInfinity);
  for (const float* first : {nan.data(), one.data(), two.data()}) {
    for (const float* second : {nan.data(), one.data(), two.data()}) {
      const float* const pixels[] = {first, second, nan.data(), low.data()};
      Floats largest = Output(70);
      tfcarve::math::kLargest[kernels.number](4, pixels, 70, largest.data());
      for (Index i = 0; i < 70; ++i) {
        float expected = std::numeric_limits<float>::lowest();
        if (first[i] > expected) expected = first[i];
        if (second[i] > expected) expected = second[i];
        Equal(largest[i], expected);
      }
      CheckMargin(largest);
    }
  }
}

void CheckInside(const Window& window, Index expected) {
  const Floats image = Random(window.image());
  std::vector<const float*> found(window.most_inside() + kMargin);
  for (Index pixel = 0; pixel < window.pixels(); ++pixel) {
    const Index row = pixel / window.columns.out;
    const Index column = pixel % window.columns.out;
    const Index count = tfcarve::math::FindInside(window, image.data(), row,
                                                  column, found.data());
    if (expected >= 0) {
      Equal(count, expected);
      continue;
    }
    Index inside = 0;
    ForEachTap(window, row, column, [&](Index, Index from) {
      const float* const pixel = image.data() + from * window.channels;
      Equal(inside < count && found[inside] == pixel, 1);
      ++inside;
    });
    Equal(count, inside);
  }
}

// The windows of poolings. A model can have one that is larger than all images.
void CheckWindows(const Kernels&) {
  constexpr Index kAny = -1;
  for (const Index filter : {1, 2, 3, 9}) {
    for (const Index stride : {1, 2, 4}) {
      for (const Index padding : {Index{0}, filter / 2, filter - 1}) {
        const Axis rows = AxisOf(7, filter, stride, 1, padding);
        const Axis columns = AxisOf(5, 3, stride, 1, 1);
        CheckInside({rows, columns, 2}, kAny);
      }
    }
  }
  const Index most = std::numeric_limits<std::int32_t>::max();
  const Axis rows{3, 3, most, 1, 1, most / 2};
  const Axis columns{4, 4, most, 1, 1, most / 2};
  CheckInside({rows, columns, 2}, 12);
}

// Checks a function of each element.
void CheckMap(const Kernels& kernels, const Map* functions,
              double (*expected)(double)) {
  for (const Index size : kSizes) {
    Floats in = Random(size), out = Output(size);
    for (Index i = 0; i < size; ++i) in[i] *= (i % 7) / 3.f;
    functions[kernels.number](size, in.data(), out.data());
    for (Index i = 0; i < size; ++i) {
      const double value = expected(in[i]);
      Near(out[i], value, 1e-6 * std::fabs(value) + 2.5e-7);
    }
    CheckMargin(out);
  }
  // Numbers near 0, numbers whose exp is 0, infinity and NaN.
  const Floats in = {0, -0.f, 1e-30f, -1e-4f, -87, -200, -kInfinity, kNan};
  Floats out = Output(in.size());
  functions[kernels.number](in.size(), in.data(), out.data());
  for (size_t i = 0; i + 1 < in.size(); ++i) {
    Near(out[i], expected(in[i]), 1e-6);
  }
  Equal(out[in.size() - 1], kNan);
  CheckMargin(out);
}

void CheckExp(const Kernels& kernels) {
  CheckMap(kernels, tfcarve::math::kExp, [](double x) { return std::exp(x); });
  const float in[] = {88.5f, 100, kInfinity};
  float out[3];
  tfcarve::math::kExp[kernels.number](3, in, out);
  Near(out[0] / std::exp(88.5), 1, 2e-6);
  Equal(out[1], kInfinity);
  Equal(out[2], kInfinity);
}

void CheckSigmoid(const Kernels& kernels) {
  CheckMap(kernels, tfcarve::math::kSigmoid,
           [](double x) { return 1 / (1 + std::exp(-x)); });
}

void CheckTanh(const Kernels& kernels) {
  CheckMap(kernels, tfcarve::math::kTanh,
           [](double x) { return std::tanh(x); });
}

void CheckErf(const Kernels& kernels) {
  CheckMap(kernels, tfcarve::math::kErf, [](double x) { return std::erf(x); });
}

// Calls check(in, largest, sum) for logits near different numbers, with their
// maximum and the sum of the exponential functions of what they are below it.
template <typename Check>
void ForEachLogits(Check check) {
  for (const float offset : {0.f, 1000.f, -1e7f}) {
    for (const Index size : {1, 2, 3, 5, 16, 17, 70, 5000, 1'000'000}) {
      Floats in = Random(size);
      for (float& x : in) x += offset;
      const float largest = *std::max_element(in.begin(), in.end());
      double sum = 0;
      for (const float x : in) {
        sum += std::exp(static_cast<double>(x) - largest);
      }
      check(in, largest, sum);
    }
  }
}

void CheckSoftmax(const Kernels& kernels) {
  ForEachLogits([&](const Floats& in, double largest, double sum) {
    const Index size = in.size();
    Floats out = Output(size);
    tfcarve::math::kSoftmax[kernels.number](size, in.data(), out.data());
    for (Index i = 0; i < size; ++i) {
      const double expected = std::exp(in[i] - largest) / sum;
      Near(out[i], expected, 1e-6 * expected);
    }
    CheckMargin(out);
  });
}

void CheckLogSoftmax(const Kernels& kernels) {
  ForEachLogits([&](const Floats& in, double largest, double sum) {
    const Index size = in.size();
    Floats out = Output(size);
    tfcarve::math::kLogSoftmax[kernels.number](size, in.data(), out.data());
    for (Index i = 0; i < size; ++i) {
      const double below = largest - in[i];
      Near(out[i], -below - std::log(sum), 3e-7 * (1 + below + std::log(sum)));
    }
    CheckMargin(out);
  });
}

constexpr Check<Kernels> kChecks[] = {{"products", CheckProducts},
                                      {"long_sums", CheckLongSums},
                                      {"convolutions", CheckConvolutions},
                                      {"depthwise", CheckDepthwises},
                                      {"binary", CheckBinary},
                                      {"limit", CheckLimit},
                                      {"pooling", CheckPooling},
                                      {"windows", CheckWindows},
                                      {"exp", CheckExp},
                                      {"sigmoid", CheckSigmoid},
                                      {"tanh", CheckTanh},
                                      {"erf", CheckErf},
                                      {"softmax", CheckSoftmax},
                                      {"log_softmax", CheckLogSoftmax}};

int Selected() {
  const std::string error = tfcarve::CpuChoiceError();
  if (!error.empty()) std::printf("%s\n", error.c_str());
  for (int call = 0; call < 2; ++call) {
    std::printf("%s\n",
                kInstructionSets[tfcarve::math::SelectedInstructionSet()].name);
  }
  return error.empty() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argument == "--selected") return Selected();
  wrong_check = argument;
  int total = 0;
  for (const Kernels* kernels : tfcarve::math::kAllKernels) {
    const InstructionSet& set = kInstructionSets[kernels->number];
    total += Compare(set.name, set.is_supported(), *kernels, kChecks);
  }
  return total == 0 ? 0 : 1;
}
