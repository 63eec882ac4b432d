// Products by tools/runtime/math. Each product packs the right operand.

#include <cstring>

#include "benchmarks/matrix/products.h"
#include "tools/runtime/math/product.h"

using tfcarve::math::kAllKernels;
using tfcarve::math::Kernels;
using tfcarve::math::kInstructionSets;

static const Kernels* Find(const char* path) {
  for (const Kernels* each : kAllKernels) {
    const char* const name = kInstructionSets[each->number].name;
    if (std::strcmp(name, path) == 0) return each;
  }
  return nullptr;
}

bool Supports(const char* path) {
  const Kernels* kernels = Find(path);
  return kernels != nullptr && kInstructionSets[kernels->number].is_supported();
}

std::size_t PackedSize(const char*, const Product&) { return 0; }

void Pack(const char*, const Product&, float*) {}

void Multiply(const char* path, const Product& product, const float*) {
  const Kernels& kernels = *Find(path);
  const tfcarve::math::MatrixRows left(
      kernels, {product.left, product.depth, false}, product.depth);
  tfcarve::math::Multiply(kernels, left,
                          {product.right, product.columns, false},
                          {0, product.rows, 0, product.columns}, nullptr,
                          product.out, product.columns);
}
