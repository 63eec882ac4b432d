// Products of bytes by gemmlowp, as TensorFlow's quantized kernels call it, on
// one thread. Each product packs both operands.

#include <cstring>
#include <tuple>

#define GEMMLOWP_ALLOW_SLOW_SCALAR_FALLBACK
#include "benchmarks/matrix/products.h"
#include "public/gemmlowp.h"

bool Supports(const char* path) {
  // byte_products.py names the paths and compiles each as a separate object.
#if defined(__AVX2__)
  return std::strcmp(path, "avx2") == 0 && __builtin_cpu_supports("avx2");
#elif defined(__SSE4_1__)
  return std::strcmp(path, "sse4") == 0 && __builtin_cpu_supports("sse4.1");
#else
  return std::strcmp(path, "baseline") == 0;
#endif
}

std::size_t PackedSize(const char*, const Product&) { return 0; }

void Pack(const char*, const Product&, Operand*) {}

void Multiply(const char*, const Product& product, const Operand*) {
  constexpr auto kRows = gemmlowp::MapOrder::RowMajor;
  const gemmlowp::MatrixMap<const std::uint8_t, kRows> left(
      product.left, product.rows, product.depth, product.depth);
  const gemmlowp::MatrixMap<const std::uint8_t, kRows> right(
      product.right, product.depth, product.columns, product.columns);
  gemmlowp::MatrixMap<std::int32_t, kRows> out(
      product.out, product.rows, product.columns, product.columns);
  gemmlowp::GemmContext context;
  context.set_max_num_threads(1);
  gemmlowp::GemmWithOutputPipeline<std::uint8_t, std::int32_t,
                                   gemmlowp::DefaultL8R8BitDepthParams>(
      &context, left, right, &out, -kLeftZero, -kRightZero, std::tuple<>());
}
