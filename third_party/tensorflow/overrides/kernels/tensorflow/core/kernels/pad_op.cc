// Overrides TensorFlow's source of the same path: registers the same kernels
// and copies rows. TensorFlow instantiates padding for each number of
// dimensions with 32-bit and with 64-bit indices, and computes the source of
// each element.

// Skips TensorFlow's header: this source defines its contents.
#define TENSORFLOW_CORE_KERNELS_PAD_OP_H_

#include <algorithm>
#include <cstdint>

#include "tensorflow/core/framework/tensor_types.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

// Writes a padded tensor from its first element to its last one.
template <typename T>
class PaddedWriter {
 public:
  static constexpr int kMaxDims = 6;

  PaddedWriter(const T* from, const T& value, T* to)
      : from_(from), value_(value), to_(to) {}

  // Adds the next inner dimension, of `size` elements in the input. A dimension
  // without padding is merged into the previous one.
  void AddDim(int64_t before, int64_t size, int64_t after) {
    const bool joins = dims_ > 0 && before == 0 && after == 0;
    const int outer_dims = joins ? dims_ - 1 : dims_;
    for (int d = 0; d < outer_dims; ++d) {
      sizes_[d].stride *= before + size + after;
    }
    if (joins) {
      Size& outer = sizes_[outer_dims];
      outer.before *= size;
      outer.inside *= size;
      outer.after *= size;
    } else {
      sizes_[dims_++] = {before, size, after, 1};
    }
  }

  void Write() { Write(0); }

 private:
  struct Size {
    int64_t before;
    int64_t inside;
    int64_t after;
    int64_t stride;  // in the output
  };

  void Write(int d) {
    const Size& size = sizes_[d];
    Fill(size.before * size.stride);
    if (d + 1 < dims_) {
      for (int64_t i = 0; i < size.inside; ++i) Write(d + 1);
    } else {
      to_ = std::copy_n(from_, size.inside, to_);
      from_ += size.inside;
    }
    Fill(size.after * size.stride);
  }

  void Fill(int64_t count) { to_ = std::fill_n(to_, count, value_); }

  const T* from_;
  const T& value_;
  T* to_;
  int dims_ = 0;
  Size sizes_[kMaxDims];
};

template <typename Device, typename T, typename Tpadding, int Dims>
struct Pad {
  // Same as TensorFlow's functor.
  void operator()(const Device& device, typename TTypes<T, Dims>::Tensor output,
                  typename TTypes<T, Dims>::ConstTensor input,
                  Eigen::array<Eigen::IndexPair<Tpadding>, Dims> paddings,
                  T pad_value) {
    static_assert(Dims <= PaddedWriter<T>::kMaxDims);
    if constexpr (Dims == 0) {
      output() = input();
    } else {
      PaddedWriter<T> pad(input.data(), pad_value, output.data());
      for (int d = 0; d < Dims; ++d) {
        pad.AddDim(paddings[d].first, input.dimension(d), paddings[d].second);
      }
      pad.Write();
    }
  }
};

}  // namespace functor
}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/pad_op.cc>
