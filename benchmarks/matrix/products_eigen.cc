// Products by Eigen's blocked kernel, for the instruction set of the compiler's
// options. Each product packs both operands.

#include <cstring>

#include "benchmarks/matrix/products.h"
#include "tensorflow/core/kernels/override_product.h"

bool Supports(const char* path) {
  // products.py names the paths and compiles each as a separate object.
#if defined(__AVX512F__)
  return std::strcmp(path, "v4") == 0 && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
#elif defined(__AVX2__)
  return std::strcmp(path, "avx2") == 0 && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma");
#else
  return std::strcmp(path, "baseline") == 0;
#endif
}

std::size_t PackedSize(const char*, const Product&) { return 0; }

void Pack(const char*, const Product&, float*) {}

void Multiply(const char*, const Product& product, const float*) {
  // Eigen's product is column-major: compute the transposed product.
  tensorflow::overrides::Product<float>(
      product.columns, product.rows, product.depth,
      {product.right, product.columns, true},
      {product.left, product.depth, true}, product.out, product.columns);
}
