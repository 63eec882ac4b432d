// Overrides TensorFlow's source of the same path: a loop casts the elements of
// each pair of types. TensorFlow instantiates an Eigen expression for each
// pair, and two if the pair can truncate. It has a source for each type of the
// input; this source includes them.

#include "tensorflow/core/kernels/cast_op.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/cast_op_impl.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_share.h"

namespace tensorflow {
namespace overrides {

// Whether a cast has an effect of its attribute Truncate: these pairs are those
// of CAST_FUNCTORS in cast_op.h.
template <typename Out, typename In>
constexpr bool kTruncates = false;
template <>
constexpr bool kTruncates<float, double> = true;
template <>
constexpr bool kTruncates<float, std::complex<double>> = true;
template <>
constexpr bool kTruncates<std::complex<float>, std::complex<double>> = true;
template <>
constexpr bool kTruncates<std::complex<float>, double> = true;
template <>
constexpr bool kTruncates<Eigen::half, double> = true;
template <>
constexpr bool kTruncates<Eigen::half, float> = true;
template <>
constexpr bool kTruncates<Eigen::half, std::complex<double>> = true;
template <>
constexpr bool kTruncates<Eigen::half, std::complex<float>> = true;
template <>
constexpr bool kTruncates<bfloat16, float> = true;
template <>
constexpr bool kTruncates<float8_e5m2, double> = true;
template <>
constexpr bool kTruncates<float8_e5m2, float> = true;
template <>
constexpr bool kTruncates<float8_e5m2, bfloat16> = true;
template <>
constexpr bool kTruncates<float8_e5m2, Eigen::half> = true;
template <>
constexpr bool kTruncates<float8_e5m2, float8_e4m3fn> = true;
template <>
constexpr bool kTruncates<float8_e4m3fn, double> = true;
template <>
constexpr bool kTruncates<float8_e4m3fn, float> = true;
template <>
constexpr bool kTruncates<float8_e4m3fn, bfloat16> = true;
template <>
constexpr bool kTruncates<float8_e4m3fn, Eigen::half> = true;

// A loop over elements; types are erased, so that all pairs share the rest.
using CastLoop = void (*)(const void* in, void* out, int64_t begin,
                          int64_t end);

template <typename Out, typename In>
void CastElements(const void* in, void* out, int64_t begin, int64_t end) {
  const Eigen::internal::scalar_cast_op<In, Out> cast;
  for (int64_t i = begin; i < end; ++i) {
    static_cast<Out*>(out)[i] = cast(static_cast<const In*>(in)[i]);
  }
}

// Whether a number is NaN. It tests the bits of floats and doubles: g++ 12
// removes code that clears the lower half of a register if the code runs only
// when a float equals itself.
template <typename T>
bool IsNan(T value, Element<T>) {
  return Eigen::numext::isnan(value);
}
inline bool IsNan(float, uint32_t bits) {
  return bits << 1 > uint32_t{0xff} << 24;
}
inline bool IsNan(double, uint64_t bits) {
  return bits << 1 > uint64_t{0x7ff} << 53;
}

// Returns a number without its lowest bits, and NaN as it is. TensorFlow's
// function accesses the number through a pointer to another type, which
// compilers may ignore.
template <typename T>
T WithoutLowBits(T value, int bits) {
  Element<T> whole;
  std::memcpy(&whole, &value, sizeof value);
  if (IsNan(value, whole)) return value;
  whole = static_cast<Element<T>>(whole >> bits << bits);
  std::memcpy(&value, &whole, sizeof value);
  return value;
}

template <typename T>
std::complex<T> WithoutLowBits(const std::complex<T>& value, int bits) {
  return {WithoutLowBits(value.real(), bits),
          WithoutLowBits(value.imag(), bits)};
}

template <typename T>
struct PartOf {
  using Type = T;
};
template <typename T>
struct PartOf<std::complex<T>> {
  using Type = T;
};

// The bits by which the mantissa of In, or of its parts, is longer than that of
// Out. As in TensorFlow, the mantissa of a complex number that is cast from a
// real one has no bits.
template <typename Out, typename In>
constexpr int ExtraBits() {
  using InPart = typename PartOf<In>::Type;
  using OutPart = std::conditional_t<std::is_same<In, InPart>::value, Out,
                                     typename PartOf<Out>::Type>;
  return functor::MantissaWidth<InPart>() - functor::MantissaWidth<OutPart>();
}

template <typename Out, typename In>
void TruncateElements(const void* in, void* out, int64_t begin, int64_t end) {
  const Eigen::internal::scalar_cast_op<In, Out> cast;
  for (int64_t i = begin; i < end; ++i) {
    const In& value = static_cast<const In*>(in)[i];
    static_cast<Out*>(out)[i] =
        cast(WithoutLowBits(value, ExtraBits<Out, In>()));
  }
}

inline void RunCast(OpKernelContext* context, CastLoop loop, const Tensor& in,
                    Tensor* out) {
  constexpr double kCycles = 2;
  const void* const from = in.data();
  void* const to = out->data();
  Share(context->eigen_device<Eigen::ThreadPoolDevice>(), in.NumElements(),
        kCycles,
        [=](int64_t begin, int64_t end) { loop(from, to, begin, end); });
}

inline CastFunctorType CastBy(CastLoop loop, CastLoop truncating) {
  return [=](OpKernelContext* context, const Tensor& in, Tensor* out,
             bool truncate) {
    RunCast(context, truncate ? truncating : loop, in, out);
  };
}

template <typename Out, typename In>
CastFunctorType CastOf() {
  const CastLoop loop = CastElements<Out, In>;
  CastLoop truncating = loop;
  if constexpr (kTruncates<Out, In>) truncating = TruncateElements<Out, In>;
  return CastBy(loop, truncating);
}

}  // namespace overrides
}  // namespace tensorflow

// The sources return the casts of their type with this macro.
#undef CAST_CASE
#define CAST_CASE(device, in, out)                     \
  if (DataTypeToEnum<out>::value == dst_dtype) {       \
    return ::tensorflow::overrides::CastOf<out, in>(); \
  }

#include <tensorflow/core/kernels/cast_op_impl_bfloat.cc>
#include <tensorflow/core/kernels/cast_op_impl_bool.cc>
#include <tensorflow/core/kernels/cast_op_impl_complex128.cc>
#include <tensorflow/core/kernels/cast_op_impl_complex64.cc>
#include <tensorflow/core/kernels/cast_op_impl_double.cc>
#include <tensorflow/core/kernels/cast_op_impl_float.cc>
#include <tensorflow/core/kernels/cast_op_impl_float8.cc>
#include <tensorflow/core/kernels/cast_op_impl_half.cc>
#include <tensorflow/core/kernels/cast_op_impl_int16.cc>
#include <tensorflow/core/kernels/cast_op_impl_int32.cc>
#include <tensorflow/core/kernels/cast_op_impl_int64.cc>
#include <tensorflow/core/kernels/cast_op_impl_int8.cc>
#include <tensorflow/core/kernels/cast_op_impl_uint16.cc>
#include <tensorflow/core/kernels/cast_op_impl_uint32.cc>
#include <tensorflow/core/kernels/cast_op_impl_uint64.cc>
#include <tensorflow/core/kernels/cast_op_impl_uint8.cc>
// TensorFlow 2.16 has them.
#if __has_include(<tensorflow/core/kernels/cast_op_impl_int4.cc>)
#include <tensorflow/core/kernels/cast_op_impl_int4.cc>
#include <tensorflow/core/kernels/cast_op_impl_uint4.cc>
#endif

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/cast_op.cc>
