// Overrides TensorFlow's source of the same path: the functions of quantized
// kernels that TensorFlow has only for 32-bit Arm, on all CPUs. Their results
// are equal to the results of TensorFlow's kernels for other CPUs, bit by bit.
//
// A byte has 256 values: the result of a float computation for each value is
// computed once and looked up.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/kernels/meta_support.h"

#include <cmath>
#include <cstdint>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/override_bytes.h"
#include "tensorflow/core/kernels/override_memory.h"
#include "tensorflow/core/kernels/override_quantization.h"
#include "tensorflow/core/kernels/override_share.h"
#include "tools/runtime/math/byte_loops.h"

namespace tensorflow {
namespace meta {
namespace {

namespace math = ::tfcarve::math;
using overrides::BytesOf;
using overrides::FloatOf;
using overrides::Quantized;

// Cycles per element.
constexpr double kCycles = 2;

const int32_t* Plain(const qint32* integers) {
  return reinterpret_cast<const int32_t*>(integers);
}
uint8_t* Plain(quint8* bytes) { return reinterpret_cast<uint8_t*>(bytes); }
int32_t* Plain(qint32* integers) {
  return reinterpret_cast<int32_t*>(integers);
}

}  // namespace

void SetNumThreads(int) {}
int GetNumThreads() { return 0; }
void SetUseLocalContext(bool) {}
bool GetUseLocalContext() { return false; }
void SetEnabled(bool) {}
bool IsSupportedAndEnabled() { return true; }

void QuantizedGemm(OpKernelContext* context, bool transpose_a, bool transpose_b,
                   const quint8* a, const quint8* b, qint32* c, int m, int n,
                   int k, int offset_a, int offset_b, int lda, int ldb, int) {
  overrides::MultiplyMatrices(context, transpose_a, transpose_b, a, b, c, m, n,
                              k, -offset_a, -offset_b, lda, ldb);
}

// Source: RequantizeManyInNewRangeUsingEigen in quantization_utils.h.
void Requantize(OpKernelContext* context, const qint32* input, int count,
                float input_min, float input_max, float output_min,
                float output_max, quint8* output) {
  const float input_range = input_max - input_min;
  const float output_range = output_max - output_min;
  const float middle = (input_min + input_max) / 2.0;
  int64_t scale = 0, input_zero = 0, output_zero = 0;
  if (output_range != 0.0f) {
    const float steps = 255.0 / output_range;
    scale =
        static_cast<int64_t>(255.0 * (1 << 16) * input_range / output_range);
    input_zero = static_cast<int64_t>(middle * steps * (1 << 16));
    output_zero = std::lround((1 << 16) * (output_min * 255.0) / output_range);
  }
  const int64_t added = input_zero - output_zero + (1 << 15);
  const math::ByteKernels& kernels = math::SelectedByteKernels();
  overrides::Share(context->eigen_cpu_device(), count, 1,
                   [&](int64_t begin, int64_t end) {
                     kernels.requantize(end - begin, Plain(input) + begin,
                                        scale, added, Plain(output) + begin);
                   });
}

void Dequantize(OpKernelContext* context, const quint8* input, int count,
                float range_min, float range_max, float* output) {
  const QuantizedToFloatStruct<quint8> range(range_min, range_max);
  float table[256];
  for (int i = 0; i < 256; ++i) table[i] = FloatOf(range, i);
  const uint8_t* const bytes = BytesOf(input);
  overrides::Share(context->eigen_cpu_device(), count, kCycles,
                   [=, &table](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       output[i] = table[bytes[i]];
                     }
                   });
}

void Quantize(OpKernelContext* context, const float* input, int count,
              float range_min, float range_max, quint8* output) {
  const FloatToQuantizedStruct<quint8> range(range_min, range_max);
  overrides::Share(context->eigen_cpu_device(), count, 10,
                   [=](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       Plain(output)[i] = Quantized(range, input[i]);
                     }
                   });
}

void QuantizedBiasAdd(OpKernelContext* context, const quint8* input,
                      int input_count, const quint8* bias, int bias_count,
                      float input_min, float input_max, float bias_min,
                      float bias_max, float output_min, float output_max,
                      qint32* output) {
  const FloatToQuantizedStruct<qint32> total(output_min, output_max);
  const QuantizedToFloatStruct<quint8> of_input(input_min, input_max);
  const QuantizedToFloatStruct<quint8> of_bias(bias_min, bias_max);
  const int32_t zero = FloatToQuantized<qint32>(0.0f, output_min, output_max);
  int32_t table[256];
  for (int i = 0; i < 256; ++i) {
    table[i] = Quantized(total, FloatOf(of_input, i));
  }
  const auto added = overrides::Allocated<int32_t>(bias_count);
  overrides::RequireMemory(context, added != nullptr);
  if (added == nullptr) return;
  for (int i = 0; i < bias_count; ++i) {
    const float value = FloatOf(of_bias, BytesOf(bias)[i]);
    added[i] = static_cast<uint32_t>(Quantized(total, value)) + zero;
  }
  overrides::Share(context->eigen_cpu_device(), input_count / bias_count,
                   kCycles * bias_count, [&](int64_t begin, int64_t end) {
                     math::AddColumns(end - begin, bias_count,
                                      BytesOf(input) + begin * bias_count,
                                      table, added.get(),
                                      Plain(output) + begin * bias_count);
                   });
}

void Clamp(OpKernelContext* context, const quint8* input, int count,
           quint8 clamp_min, quint8 clamp_max, quint8* output) {
  overrides::Share(context->eigen_cpu_device(), count, 0.25,
                   [=](int64_t begin, int64_t end) {
                     math::LimitBytes(end - begin, BytesOf(input) + begin,
                                      clamp_min.value, clamp_max.value,
                                      Plain(output) + begin);
                   });
}

}  // namespace meta
}  // namespace tensorflow
