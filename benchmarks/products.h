// What products.cc measures: a shared object of its own for each library, so
// that the linker merges nothing of them.

#ifndef TFCARVE_BENCHMARKS_PRODUCTS_H_
#define TFCARVE_BENCHMARKS_PRODUCTS_H_

#include <cstddef>

extern "C" {

// out = left * right, all of them row by row and without gaps. Operands may be
// read up to 64 bytes beyond their end.
struct Product {
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t depth;
  const float* left;
  const float* right;
  float* out;
};

// `path` names one of several ways that a library computes a product in.

// Whether the library has the path and this machine can run it.
__attribute__((visibility("default"))) bool Supports(const char* path);
// How many floats of the right operand's packed copy are kept from product to
// product.
__attribute__((visibility("default"))) std::size_t PackedSize(
    const char* path, const Product& product);
// Makes that copy, aligned to 64 bytes.
__attribute__((visibility("default"))) void Pack(const char* path,
                                                 const Product& product,
                                                 float* packed);
__attribute__((visibility("default"))) void Multiply(const char* path,
                                                     const Product& product,
                                                     const float* packed);

}  // extern "C"

#endif  // TFCARVE_BENCHMARKS_PRODUCTS_H_
