// Overrides TensorFlow's source of the same path: one loop fills tensors of all
// types of a size. TensorFlow instantiates four Eigen expressions for each
// type.

#define EIGEN_USE_THREADS

#include "tensorflow/core/kernels/fill_functor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_share.h"

namespace tensorflow {
namespace overrides {

template <typename Element>
void FillElements(const Eigen::ThreadPoolDevice& device, const Element& value,
                  int64_t size, Element* out) {
  const double cycles = sizeof(Element) / 8.0;
  Share(device, size, cycles, [&](int64_t begin, int64_t end) {
    std::fill(out + begin, out + end, value);
  });
}

template <typename T>
void Fill(const Eigen::ThreadPoolDevice& device, const T& value,
          typename TTypes<T>::Flat out) {
  Element<T>* const to = reinterpret_cast<Element<T>*>(out.data());
  if constexpr (std::is_same<Element<T>, T>::value) {
    FillElements(device, value, out.size(), to);
  } else {
    Element<T> bytes;
    std::memcpy(&bytes, &value, sizeof bytes);
    FillElements(device, bytes, out.size(), to);
  }
}

}  // namespace overrides

namespace functor {

// Same as TensorFlow's functors.

template <typename T>
void SetZeroFunctor<Eigen::ThreadPoolDevice, T>::operator()(
    const Eigen::ThreadPoolDevice& device, typename TTypes<T>::Flat out) {
  overrides::Fill<T>(device, T(0), out);
}

void SetZeroFunctor<Eigen::ThreadPoolDevice, tstring>::operator()(
    const Eigen::ThreadPoolDevice& device, typename TTypes<tstring>::Flat out) {
  overrides::Fill<tstring>(device, tstring(), out);
}

template <typename T>
void SetOneFunctor<Eigen::ThreadPoolDevice, T>::operator()(
    const Eigen::ThreadPoolDevice& device, typename TTypes<T>::Flat out) {
  overrides::Fill<T>(device, T(1), out);
}

template <typename T>
void SetNanFunctor<Eigen::ThreadPoolDevice, T>::operator()(
    const Eigen::ThreadPoolDevice& device, typename TTypes<T>::Flat out) {
  overrides::Fill<T>(device, Eigen::NumTraits<T>::quiet_NaN(), out);
}

template <typename T>
struct FillFunctor<Eigen::ThreadPoolDevice, T> {
  void operator()(const Eigen::ThreadPoolDevice& device,
                  typename TTypes<T>::Flat out,
                  typename TTypes<T>::ConstScalar in) {
    overrides::Fill<T>(device, in(), out);
  }
};

// TensorFlow 2.16 has kernels for integers of 4 bits, which 2.14 lacks.
#ifdef TF_CALL_int4
#define TFCARVE_CALL_NEWER_INTEGERS(m) TF_CALL_int4(m) TF_CALL_uint4(m)
#define TFCARVE_CALL_FLOAT8_FILLS(m) m(float8_e5m2) m(float8_e4m3fn)
#else
#define TFCARVE_CALL_NEWER_INTEGERS(m)
#define TFCARVE_CALL_FLOAT8_FILLS(m)
#endif

#define TFCARVE_CALL_QUANTIZED(m) \
  m(quint8) m(qint8) m(quint16) m(qint16) m(qint32)

// The numbers that are set to 0 and to 1.
#define TFCARVE_CALL_NUMBERS(m)                                             \
  m(bool) m(Eigen::half) m(bfloat16) m(float) m(double) m(uint32) m(uint64) \
      m(uint8) m(int8) m(uint16) m(int16) m(int32) m(int64_t) m(complex64)  \
          m(complex128) m(float8_e5m2) m(float8_e4m3fn)                     \
              TFCARVE_CALL_NEWER_INTEGERS(m)

#define TFCARVE_DEFINE_ZERO(T) \
  template struct SetZeroFunctor<Eigen::ThreadPoolDevice, T>;
TFCARVE_CALL_NUMBERS(TFCARVE_DEFINE_ZERO)
TFCARVE_CALL_QUANTIZED(TFCARVE_DEFINE_ZERO)
TFCARVE_DEFINE_ZERO(Variant)

#define TFCARVE_DEFINE_ONE(T) \
  template struct SetOneFunctor<Eigen::ThreadPoolDevice, T>;
TFCARVE_CALL_NUMBERS(TFCARVE_DEFINE_ONE)

#define TFCARVE_DEFINE_NAN(T) \
  template struct SetNanFunctor<Eigen::ThreadPoolDevice, T>;
TF_CALL_NUMBER_TYPES(TFCARVE_DEFINE_NAN)
TF_CALL_bool(TFCARVE_DEFINE_NAN)

#define TFCARVE_DEFINE_FILL(T) \
  template struct FillFunctor<Eigen::ThreadPoolDevice, T>;
    TF_CALL_ALL_TYPES(TFCARVE_DEFINE_FILL)
        TFCARVE_CALL_QUANTIZED(TFCARVE_DEFINE_FILL)
            TFCARVE_CALL_FLOAT8_FILLS(TFCARVE_DEFINE_FILL)
                TFCARVE_CALL_NEWER_INTEGERS(TFCARVE_DEFINE_FILL)

}  // namespace functor
}  // namespace tensorflow
