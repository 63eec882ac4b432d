// What the products of floats and of bytes share to divide their work into
// blocks.

#ifndef TFCARVE_TOOLS_RUNTIME_MATH_BLOCKS_H_
#define TFCARVE_TOOLS_RUNTIME_MATH_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "tools/runtime/math/kernels.h"

namespace tfcarve {
namespace math {

static inline Index CeilDiv(Index a, Index b) { return (a + b - 1) / b; }

// Returns the size of the parts into which a length is split: of about equal
// size, at most `limit`, and whole tiles.
static inline Index EvenSize(Index length, Index limit, Index tile) {
  const Index parts =
      std::max<Index>(1, CeilDiv(length, std::max<Index>(1, limit)));
  return std::max<Index>(1, CeilDiv(CeilDiv(length, parts), tile)) * tile;
}

// Memory that is allocated once and divided into pieces.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : start_(std::malloc(bytes)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::free(start_); }

  bool ok() const { return start_ != nullptr; }
  template <typename T>
  T* Take(Index count) {
    T* const piece = reinterpret_cast<T*>(static_cast<char*>(start_) + taken_);
    taken_ += count * sizeof(T);
    return piece;
  }

 private:
  void* const start_;
  std::size_t taken_ = 0;
};

}  // namespace math
}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MATH_BLOCKS_H_
