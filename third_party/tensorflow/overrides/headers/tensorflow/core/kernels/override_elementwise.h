// Computes functions of the elements of up to three tensors, of which some are
// broadcast: one loop serves all numbers of dimensions and all functions. Only
// the function of a row depends on the types.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_ELEMENTWISE_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_ELEMENTWISE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "tensorflow/core/kernels/override_share.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace overrides {

constexpr int kMaxOperands = 3;
constexpr int kMaxDims = 8;

// Operand of an Eigen expression: a tensor in memory, a tensor with other sizes
// of the same elements, or a tensor that is broadcast along the dimensions in
// which it has size 1.
template <typename Expression>
struct Operand {
  static constexpr bool kIs = false;
};

template <typename Expression>
struct Operand<const Expression> : Operand<Expression> {};

template <typename T, int kOptions, template <class> class MakePointer>
struct Operand<Eigen::TensorMap<T, kOptions, MakePointer>> {
  using Map = Eigen::TensorMap<T, kOptions, MakePointer>;
  using Element = std::remove_const_t<typename Map::Scalar>;
  static constexpr bool kIs = Map::Layout == Eigen::RowMajor;
  static constexpr int kRank = Map::NumDimensions;

  static const Element* Data(const Map& map) { return map.data(); }
  static int64_t Size(const Map& map, int d) { return map.dimension(d); }
};

template <typename Sizes, typename Inner>
struct Operand<Eigen::TensorReshapingOp<Sizes, Inner>> {
  using Expression = Eigen::TensorReshapingOp<Sizes, Inner>;
  using Of = Operand<Inner>;
  static constexpr bool kIs = Of::kIs;
  static constexpr int kRank = Eigen::internal::array_size<Sizes>::value;

  static auto Data(const Expression& expression) {
    return Of::Data(expression.expression());
  }
  static int64_t Size(const Expression& expression, int d) {
    return expression.dimensions()[d];
  }
};

template <typename Times, typename Inner>
struct Operand<Eigen::TensorBroadcastingOp<Times, Inner>> {
  using Expression = Eigen::TensorBroadcastingOp<Times, Inner>;
  using Of = Operand<Inner>;
  static constexpr bool kIs = Of::kIs;
  static constexpr int kRank = Of::kRank;

  static auto Data(const Expression& expression) {
    return Of::Data(expression.expression());
  }
  static int64_t Size(const Expression& expression, int d) {
    return Of::Size(expression.expression(), d);
  }
};

template <typename Expression>
using ElementOfOperand = std::remove_const_t<std::remove_pointer_t<
    decltype(Operand<Expression>::Data(std::declval<const Expression&>()))>>;

// The tensors of a function; strides count elements.
struct Elementwise {
  // Computes `size` elements of a row, from these elements of the operands on.
  using Row = void (*)(const Elementwise& of, const int64_t* from, int64_t to,
                       int64_t size);

  const void* function;
  Row row;
  double cycles;  // per element
  int operands = 0;
  int rank = 0;
  void* out = nullptr;
  std::array<const void*, kMaxOperands> data{};
  std::array<int64_t, kMaxDims> sizes{};
  std::array<std::array<int64_t, kMaxDims>, kMaxOperands> strides{};

  int64_t step(int operand) const { return strides[operand][rank - 1]; }
};

template <typename Expression>
void AddOperand(const Expression& expression, Elementwise* to) {
  using Of = Operand<Expression>;
  std::array<int64_t, kMaxDims>& strides = to->strides[to->operands];
  to->data[to->operands++] = Of::Data(expression);
  int64_t stride = 1;
  for (int d = to->rank - 1; d >= 0; --d) {
    const int64_t size = Of::Size(expression, d);
    strides[d] = size == 1 ? 0 : stride;
    stride *= size;
  }
}

// Computes the elements [begin, end) of the output.
inline void ComputePart(const Elementwise& of, int64_t begin, int64_t end) {
  const int last = of.rank - 1;
  const int64_t row_size = of.sizes[last];
  while (begin < end) {
    const int64_t column = begin % row_size;
    const int64_t size = std::min(row_size - column, end - begin);
    int64_t from[kMaxOperands] = {};
    for (int i = 0; i < of.operands; ++i) from[i] = column * of.step(i);
    int64_t index = begin / row_size;
    for (int d = last - 1; d >= 0; --d) {
      const int64_t at = index % of.sizes[d];
      index /= of.sizes[d];
      for (int i = 0; i < of.operands; ++i) from[i] += at * of.strides[i][d];
    }
    of.row(of, from, begin, size);
    begin += size;
  }
}

inline void Compute(const Eigen::ThreadPoolDevice& device,
                    const Elementwise& of) {
  int64_t size = 1;
  for (int d = 0; d < of.rank; ++d) size *= of.sizes[d];
  Share(device, size, of.cycles,
        [&](int64_t begin, int64_t end) { ComputePart(of, begin, end); });
}

template <typename Out>
Elementwise Into(const Out& out) {
  using Of = Operand<Out>;
  static_assert(Of::kRank <= kMaxDims);
  Elementwise made;
  made.rank = std::max(1, Of::kRank);
  made.sizes[0] = 1;
  for (int d = 0; d < Of::kRank; ++d) made.sizes[d] = Of::Size(out, d);
  made.out = const_cast<void*>(static_cast<const void*>(Of::Data(out)));
  return made;
}

// Whether a function has a form for packets: vectors of the baseline CPU.
template <typename Function, typename Out, typename... In>
constexpr bool HasPackets() {
  return Eigen::internal::functor_traits<Function>::PacketAccess &&
         Eigen::internal::packet_traits<Out>::Vectorizable &&
         (std::is_same<Out, In>::value && ...);
}

// A row of an operand: one element that is repeated, or elements.
template <typename T>
struct RowOf {
  const T* data;
  int64_t step;

  RowOf(const Elementwise& of, int operand, int64_t from)
      : data(static_cast<const T*>(of.data[operand]) + from),
        step(of.step(operand)) {}

  const T& operator[](int64_t i) const { return data[i * step]; }

  template <typename Packet>
  Packet PacketAt(int64_t i) const {
    return step ? Eigen::internal::ploadu<Packet>(data + i)
                : Eigen::internal::pset1<Packet>(*data);
  }
};

template <typename Function, typename Out, typename In>
void UnaryRow(const Elementwise& of, const int64_t* from, int64_t to,
              int64_t size) {
  const Function& function = *static_cast<const Function*>(of.function);
  const RowOf<In> in(of, 0, from[0]);
  Out* const out = static_cast<Out*>(of.out) + to;
  int64_t i = 0;
  if constexpr (HasPackets<Function, Out, In>()) {
    using Packet = typename Eigen::internal::packet_traits<Out>::type;
    constexpr int kSize = Eigen::internal::unpacket_traits<Packet>::size;
    for (; i + kSize <= size; i += kSize) {
      Eigen::internal::pstoreu(
          out + i, function.packetOp(in.template PacketAt<Packet>(i)));
    }
  }
  for (; i < size; ++i) out[i] = function(in[i]);
}

template <typename Function, typename Out, typename Left, typename Right>
void BinaryRow(const Elementwise& of, const int64_t* from, int64_t to,
               int64_t size) {
  const Function& function = *static_cast<const Function*>(of.function);
  const RowOf<Left> left(of, 0, from[0]);
  const RowOf<Right> right(of, 1, from[1]);
  Out* const out = static_cast<Out*>(of.out) + to;
  int64_t i = 0;
  if constexpr (HasPackets<Function, Out, Left, Right>()) {
    using Packet = typename Eigen::internal::packet_traits<Out>::type;
    constexpr int kSize = Eigen::internal::unpacket_traits<Packet>::size;
    for (; i + kSize <= size; i += kSize) {
      Eigen::internal::pstoreu(
          out + i, function.packetOp(left.template PacketAt<Packet>(i),
                                     right.template PacketAt<Packet>(i)));
    }
  }
  for (; i < size; ++i) out[i] = function(left[i], right[i]);
}

template <typename T>
void SelectRow(const Elementwise& of, const int64_t* from, int64_t to,
               int64_t size) {
  const RowOf<bool> condition(of, 0, from[0]);
  const RowOf<T> then(of, 1, from[1]);
  const RowOf<T> otherwise(of, 2, from[2]);
  T* const out = static_cast<T*>(of.out) + to;
  for (int64_t i = 0; i < size; ++i) {
    out[i] = condition[i] ? then[i] : otherwise[i];
  }
}

template <typename Function>
constexpr double CyclesOf() {
  return 1.0 + Eigen::internal::functor_traits<Function>::Cost;
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_ELEMENTWISE_H_
