// Overrides TensorFlow's source of the same path: registers the same kernel and
// computes convolutions of bytes with tools/runtime/math. TensorFlow copies the
// patches of the whole image in one thread and multiplies them with gemmlowp.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <cstdint>

#include "tensorflow/core/kernels/override_bytes.h"
#include "tensorflow/core/util/padding.h"
#include "tools/runtime/math/convolution.h"

namespace tensorflow {

template <class T1, class T2, class T3>
class Im2ColConvFunctor;
template <class T1, class T2, class T3>
class ReferenceConvFunctor;

template <>
class Im2ColConvFunctor<quint8, quint8, qint32> {
 public:
  // The last three arguments are 0, 0 and 1.
  void operator()(OpKernelContext* context, const quint8* input_data,
                  int input_batches, int input_height, int input_width,
                  int input_depth, int input_offset, const quint8* filter_data,
                  int filter_height, int filter_width, int filter_count,
                  int filter_offset, int stride, Padding padding,
                  qint32* output_data, int output_height, int output_width,
                  int output_shift, int output_offset, int output_mult);
};

namespace overrides {

// TensorFlow centers the filter. With VALID padding and a large stride, this
// skips the first elements.
inline math::Axis QuantizedAxis(int in, int out, int filter, int stride,
                                Padding padding) {
  const int reach = (out - 1) * stride + filter - in;
  return {in, out, filter, stride, 1, (reach + (padding == VALID ? 1 : 0)) / 2};
}

}  // namespace overrides
}  // namespace tensorflow

// TensorFlow's source, which registers the kernel.
#include_next <tensorflow/core/kernels/quantized_conv_ops.cc>

namespace tensorflow {

void Im2ColConvFunctor<quint8, quint8, qint32>::operator()(
    OpKernelContext* context, const quint8* input_data, int input_batches,
    int input_height, int input_width, int input_depth, int input_offset,
    const quint8* filter_data, int filter_height, int filter_width,
    int filter_count, int filter_offset, int stride, Padding padding,
    qint32* output_data, int output_height, int output_width, int output_shift,
    int output_offset, int output_mult) {
  namespace math = ::tfcarve::math;
  if (input_offset < 0) {
    // No byte stands for 0, which surrounds the image.
    ReferenceConvFunctor<quint8, quint8, qint32>()(
        context, input_data, input_batches, input_height, input_width,
        input_depth, input_offset, filter_data, filter_height, filter_width,
        filter_count, filter_offset, stride, padding, output_data,
        output_height, output_width, output_shift, output_offset, output_mult);
    return;
  }
  const math::Window window{
      overrides::QuantizedAxis(input_height, output_height, filter_height,
                               stride, padding),
      overrides::QuantizedAxis(input_width, output_width, filter_width, stride,
                               padding),
      input_depth};
  OP_REQUIRES(context, window.taps() * window.channels > 0,
              errors::InvalidArgument(
                  "filter patch must contain at least one element"));
  math::BytePatches patches(window, overrides::BytesOf(input_data),
                            window.channels);
  // The offset of a range without 0 is truncated, as TensorFlow does.
  patches.SetBorder(static_cast<uint8_t>(input_offset));
  overrides::MultiplyBytes(
      context, math::SelectedByteKernels(), input_batches * window.pixels(),
      filter_count, patches, input_offset,
      {overrides::BytesOf(filter_data), filter_count, false}, filter_offset,
      output_data);
}

}  // namespace tensorflow
