// The interface that products.cc measures. Each library is a separate shared
// object, so that the linker does not merge their code.

#ifndef TFCARVE_BENCHMARKS_PRODUCTS_H_
#define TFCARVE_BENCHMARKS_PRODUCTS_H_

#include <cstddef>
#include <cstdint>

// With TFCARVE_BYTES, products of bytes with zero points.
#if defined(TFCARVE_BYTES)
using Operand = std::uint8_t;
using Sum = std::int32_t;
constexpr int kLeftZero = 117;
constexpr int kRightZero = 131;
#else
using Operand = float;
using Sum = float;
constexpr int kLeftZero = 0;
constexpr int kRightZero = 0;
#endif

extern "C" {

// out = (left - kLeftZero) * (right - kRightZero), all row-major and
// contiguous. Up to 64 bytes after the end of an operand may be read.
struct Product {
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t depth;
  const Operand* left;
  const Operand* right;
  Sum* out;
};

// `path` names one of a library's implementations of the product.

// Returns whether the library has the path and this machine can run it.
__attribute__((visibility("default"))) bool Supports(const char* path);
// Returns the number of elements of the packed copy of the right operand that
// is reused by several products.
__attribute__((visibility("default"))) std::size_t PackedSize(
    const char* path, const Product& product);
// Writes that copy, which is aligned to 64 bytes.
__attribute__((visibility("default"))) void Pack(const char* path,
                                                 const Product& product,
                                                 Operand* packed);
__attribute__((visibility("default"))) void Multiply(const char* path,
                                                     const Product& product,
                                                     const Operand* packed);

}  // extern "C"

#endif  // TFCARVE_BENCHMARKS_PRODUCTS_H_
