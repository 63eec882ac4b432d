// Products by XNNPACK's micro-kernels, called as XNNPACK's operators call them
// on one thread. Its own function packs the right operand once, with biases.

#include <algorithm>
#include <cstring>
#include <limits>

#include "benchmarks/matrix/products.h"
#include "xnnpack/gemm.h"
#include "xnnpack/pack.h"

namespace {

struct Kernel {
  const char* path;
  std::size_t rows;
  std::size_t columns;
  decltype(&TFCARVE_FIRST_KERNEL) many_rows;
  decltype(&TFCARVE_FIRST_KERNEL) one_row;
};

// Defined by products.py: {path, rows, columns, kernel for several rows, kernel
// for one row}.
constexpr Kernel kKernels[] = {TFCARVE_KERNELS};

const Kernel* Find(const char* path) {
  for (const Kernel& kernel : kKernels) {
    if (std::strcmp(kernel.path, path) == 0) return &kernel;
  }
  return nullptr;
}

}  // namespace

bool Supports(const char* path) {
  if (Find(path) == nullptr) return false;
#if defined(__x86_64__)
  if (std::strncmp(path, "fma3", 4) == 0) return __builtin_cpu_supports("fma");
  if (std::strncmp(path, "avx512f", 7) == 0) {
    return __builtin_cpu_supports("avx512f");
  }
#endif
  return true;
}

std::size_t PackedSize(const char* path, const Product& product) {
  const std::size_t width = Find(path)->columns;
  return (product.columns + width - 1) / width * width * (product.depth + 1);
}

void Pack(const char* path, const Product& product, float* packed) {
  xnn_pack_f32_gemm_gio_w(1, product.columns, product.depth,
                          Find(path)->columns, 1, 1, product.columns,
                          product.right, nullptr, nullptr, packed, 0, nullptr);
}

void Multiply(const char* path, const Product& product, const float* packed) {
  const Kernel& kernel = *Find(path);
  xnn_f32_minmax_params limits;
  limits.scalar.min = -std::numeric_limits<float>::infinity();
  limits.scalar.max = std::numeric_limits<float>::infinity();
  const std::size_t left_stride = product.depth * sizeof(float);
  const std::size_t out_stride = product.columns * sizeof(float);
  const std::size_t rows = product.rows;
  const std::size_t step = rows == 1 ? 1 : kernel.rows;
  const auto run = rows == 1 ? kernel.one_row : kernel.many_rows;
  for (std::size_t row = 0; row < rows; row += step) {
    run(std::min(step, rows - row), product.columns, left_stride,
        product.left + row * product.depth, left_stride, packed,
        product.out + row * product.columns, out_stride,
        kernel.columns * sizeof(float), &limits);
  }
}
