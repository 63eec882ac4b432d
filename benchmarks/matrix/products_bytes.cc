// Products of bytes by tools/runtime/math. Each product packs both operands.

#include <cstring>

#include "benchmarks/matrix/products.h"
#include "tools/runtime/math/byte_product.h"

using tfcarve::math::ByteKernels;
using tfcarve::math::kAllByteKernels;

static const ByteKernels* Find(const char* path) {
  for (const ByteKernels* const* each = kAllByteKernels; *each != nullptr;
       ++each) {
    if (std::strcmp((*each)->name, path) == 0) return *each;
  }
  return nullptr;
}

bool Supports(const char* path) {
  const ByteKernels* kernels = Find(path);
  return kernels != nullptr && kernels->is_supported();
}

std::size_t PackedSize(const char*, const Product&) { return 0; }

void Pack(const char*, const Product&, Operand*) {}

void Multiply(const char* path, const Product& product, const Operand*) {
  const tfcarve::math::ByteMatrixRows left({product.left, product.depth, false},
                                           product.depth);
  tfcarve::math::MultiplyBytes(
      *Find(path), left, kLeftZero, {product.right, product.columns, false},
      kRightZero, {0, product.rows, 0, product.columns}, product.out,
      product.columns);
}
