// Overrides TensorFlow's source of the same path: registers the same kernel and
// looks up the value of each byte in the range of the output, on all threads.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tensorflow/core/kernels/quantization_utils.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/util/bcast.h"
#include "tools/runtime/math/byte_loops.h"

namespace tensorflow {
namespace overrides {

// An operand: its bytes and their range.
struct Addend {
  const uint8_t* data;
  int64_t size;
  float min;
  float max;
};

// Sets `table` to the value of each byte in the output's range.
inline void Fill(const Addend& operand, float output_min, float output_max,
                 int32_t (&table)[256]) {
  const auto number = [&](int byte) {
    const float value =
        QuantizedToFloat<quint8>(byte, operand.min, operand.max);
    return FloatToQuantizedUnclamped<qint32>(value, output_min, output_max);
  };
  const int64_t zero = number(0);
  const int64_t step = static_cast<int32_t>(number(1) - zero);
  for (int i = 0; i < 256; ++i) {
    table[i] = static_cast<int32_t>(
        std::min<int64_t>(std::numeric_limits<int32_t>::max(),
                          std::max<int64_t>(std::numeric_limits<int32_t>::min(),
                                            zero + i * step)));
  }
}

}  // namespace overrides

template <class T, class Toutput>
class QuantizedAddOp : public OpKernel {
 public:
  explicit QuantizedAddOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const Tensor& y = context->input(1);
    for (int i = 2; i < 6; ++i) {
      OP_REQUIRES(
          context, TensorShapeUtils::IsScalar(context->input(i).shape()),
          errors::InvalidArgument("Input ", i, " must be rank 0 but is rank ",
                                  context->input(i).dims()));
    }
    const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
    OP_REQUIRES(context, bcast.IsValid(),
                errors::InvalidArgument(
                    "Incompatible shapes: ", x.shape().DebugString(), " vs. ",
                    y.shape().DebugString()));
    TensorShape shape;
    OP_REQUIRES_OK(context,
                   TensorShape::BuildTensorShape(bcast.output_shape(), &shape));
    Tensor* z;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &z));
    overrides::Addend large = OperandOf(context, 0),
                      small = OperandOf(context, 1);
    for (const overrides::Addend& each : {large, small}) {
      OP_REQUIRES(context, each.max > each.min,
                  errors::InvalidArgument(
                      "The maximum of a range must be larger than its "
                      "minimum."));
    }
    // A tensor and a tensor, a vector of its last dimensions, or a number.
    OP_REQUIRES(context, bcast.x_reshape().size() <= 2,
                errors::Unimplemented(
                    "Broadcast between ", x.shape().DebugString(), " and ",
                    y.shape().DebugString(), " is not supported yet."));
    // TensorFlow leaves much room above the inputs.
    const float largest = std::max(std::abs(std::min(large.min, small.min)),
                                   std::abs(std::max(large.max, small.max)));
    const float output_max = largest * (1 << 14);
    // TensorFlow converts a single number in another way, the first one if both
    // are.
    if (large.size < small.size || large.size == 1) std::swap(large, small);
    OP_REQUIRES(context, large.size == 0 || small.size > 0,
                errors::InvalidArgument("Must have some elements to add"));
    Add(context, large, small, output_max,
        reinterpret_cast<int32_t*>(z->flat<qint32>().data()));
    for (int i = 1; i < 3; ++i) {
      Tensor* end = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i, {}, &end));
      end->scalar<float>()() = i == 1 ? -output_max : output_max;
    }
  }

 private:
  static overrides::Addend OperandOf(OpKernelContext* context, int i) {
    const Tensor& tensor = context->input(i);
    return {reinterpret_cast<const uint8_t*>(tensor.flat<quint8>().data()),
            tensor.NumElements(), context->input(2 + 2 * i).scalar<float>()(),
            context->input(3 + 2 * i).scalar<float>()()};
  }

  static void Add(OpKernelContext* context, const overrides::Addend& large,
                  const overrides::Addend& small, float output_max,
                  int32_t* out) {
    namespace math = ::tfcarve::math;
    const Eigen::ThreadPoolDevice& device = context->eigen_cpu_device();
    int32_t table[256], other[256];
    overrides::Fill(large, -output_max, output_max, table);
    overrides::Fill(small, -output_max, output_max, other);
    if (large.size == small.size && large.size > 1) {
      overrides::Share(device, large.size, 2, [&](int64_t begin, int64_t end) {
        math::AddTables(end - begin, large.data + begin, table,
                        small.data + begin, other, out + begin);
      });
      return;
    }
    const auto added = overrides::Allocated<int32_t>(small.size);
    overrides::RequireMemory(context, added != nullptr);
    if (added == nullptr) return;
    for (int64_t i = 0; i < small.size; ++i) added[i] = other[small.data[i]];
    if (small.size == 1) {
      added[0] = RequantizeInNewRange<quint8, qint32>(
          small.data[0], small.min, small.max, -output_max, output_max);
    }
    const int64_t rows = small.size == 0 ? 0 : large.size / small.size;
    overrides::Share(device, rows, 2.0 * small.size,
                     [&](int64_t begin, int64_t end) {
                       math::AddColumns(end - begin, small.size,
                                        large.data + begin * small.size, table,
                                        added.get(), out + begin * small.size);
                     });
  }
};

REGISTER_KERNEL_BUILDER(Name("QuantizedAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T1")
                            .TypeConstraint<quint8>("T2")
                            .TypeConstraint<qint32>("Toutput"),
                        QuantizedAddOp<quint8, qint32>);

}  // namespace tensorflow
