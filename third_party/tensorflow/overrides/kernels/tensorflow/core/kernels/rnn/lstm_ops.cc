// Overrides TensorFlow's source of the same path: registers the same kernels
// and computes whole LSTMs of floats with tools/runtime/math. TensorFlow
// multiplies the input of each step separately, and uses only the vectors of
// the baseline CPU.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/kernels/rnn/lstm_ops.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/kernels/override_matmul.h"

namespace tensorflow {

namespace overrides {

// The formulas come from api_def_LSTMBlockCell.pbtxt.
class BlockLSTM : public OpKernel {
 public:
  BlockLSTM(OpKernelConstruction* context, GateLayout layout)
      : OpKernel(context), layout_(layout) {
    // BlockLSTMV2 does not have it.
    if (context->HasAttr("forget_bias")) {
      OP_REQUIRES_OK(context, context->GetAttr("forget_bias", &forget_bias_));
    }
    OP_REQUIRES_OK(context, context->GetAttr("cell_clip", &cell_clip_));
    OP_REQUIRES_OK(context, context->GetAttr("use_peephole", &use_peephole_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(kX);
    const Tensor& state = context->input(kState);
    OP_REQUIRES(context, x.dims() == 3 && state.dims() == 2,
                errors::InvalidArgument("x must have 3 dimensions, cs_prev 2"));
    Sizes sizes{x.dim_size(0), x.dim_size(1), x.dim_size(2), state.dim_size(1)};
    CheckShapes(context, sizes);
    if (!context->status().ok()) return;
    const int64_t steps = context->input(kSteps).scalar<int64_t>()();
    OP_REQUIRES(context, steps <= sizes.steps,
                errors::InvalidArgument("seq_len_max is ", steps, ", x has ",
                                        sizes.steps, " steps"));

    TensorShape shape;
    OP_REQUIRES_OK(context,
                   TensorShape::BuildTensorShape(
                       {sizes.steps, sizes.batch, sizes.cell}, &shape));
    float* outputs[kOutputs];
    for (int i = 0; i < kOutputs; ++i) {
      Tensor* output = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i, shape, &output));
      outputs[i] = output->flat<float>().data();
      std::fill(outputs[i] + std::max<int64_t>(steps, 0) * sizes.state(),
                outputs[i] + sizes.steps * sizes.state(), 0.0f);
    }
    // The inputs of several steps are multiplied at once, to get products of an
    // efficient size.
    constexpr int64_t kElements = 1 << 17;
    const int64_t steps_at_once =
        std::min(std::max<int64_t>(1, kElements / (sizes.gates() + 1)),
                 std::max<int64_t>(steps, 1));
    Tensor from_inputs, from_states;
    OP_REQUIRES_OK(context,
                   context->allocate_temp(
                       DT_FLOAT, {steps_at_once * sizes.batch, 4 * sizes.cell},
                       &from_inputs));
    OP_REQUIRES_OK(
        context, context->allocate_temp(DT_FLOAT, {sizes.batch, 4 * sizes.cell},
                                        &from_states));
    float* const gates = from_inputs.flat<float>().data();
    for (int64_t first = 0; first < steps; first += steps_at_once) {
      const int64_t count = std::min(steps_at_once, steps - first);
      MultiplyInputs(context, sizes, first, count, gates);
      for (int64_t i = 0; context->status().ok() && i < count; ++i) {
        Step(context, sizes, first + i, gates + i * sizes.gates(),
             from_states.flat<float>().data(), outputs);
      }
    }
  }

 private:
  enum Input { kSteps, kX, kState, kH, kW, kWci, kWcf, kWco, kB };
  enum Output { kI, kCs, kF, kO, kCi, kCo, kHOut, kOutputs };

  struct Sizes {
    int64_t steps, batch, input, cell;

    // Elements of one step.
    int64_t state() const { return batch * cell; }
    int64_t gates() const { return 4 * batch * cell; }
  };

  static bool HasShape(const Tensor& tensor, absl::Span<const int64_t> shape) {
    return absl::MakeConstSpan(tensor.shape().dim_sizes()) == shape;
  }

  // The shapes come from a model: a TensorShape of dimensions whose product is
  // no int64_t would end the process.
  static void CheckShapes(OpKernelContext* context, const Sizes& sizes) {
    const Tensor& b = context->input(kB);
    OP_REQUIRES(context,
                b.dims() == 1 && b.dim_size(0) % 4 == 0 &&
                    b.dim_size(0) / 4 == sizes.cell,
                errors::InvalidArgument("b has shape ", b.shape().DebugString(),
                                        ", but cs_prev has ", sizes.cell,
                                        " columns, which have 4 biases each"));
    const struct {
      int input;
      std::vector<int64_t> shape;
    } expected[] = {{kSteps, {}},
                    {kState, {sizes.batch, sizes.cell}},
                    {kH, {sizes.batch, sizes.cell}},
                    {kW, {sizes.input + sizes.cell, 4 * sizes.cell}},
                    {kWci, {sizes.cell}},
                    {kWcf, {sizes.cell}},
                    {kWco, {sizes.cell}}};
    for (const auto& [input, shape] : expected) {
      const Tensor& found = context->input(input);
      OP_REQUIRES(
          context, HasShape(found, shape),
          errors::InvalidArgument("input ", input, " has shape ",
                                  found.shape().DebugString(), ", not [",
                                  absl::StrJoin(shape, ","), "]"));
    }
  }

  static const float* Data(OpKernelContext* context, Input input) {
    return context->input(input).flat<float>().data();
  }

  // out[m, 4 * cell] = in[m, depth] * w, starting at row `first` of w.
  static void Multiply(OpKernelContext* context, const Sizes& sizes, int64_t m,
                       int64_t depth, const float* in, int64_t first,
                       const math::Finish* finish, float* out) {
    const int64_t columns = 4 * sizes.cell;
    const float* const w = Data(context, kW) + first * columns;
    MultiplyBatches(
        context, 1, m, columns, depth,
        [=](int64_t) { return MatrixOf(in, m, depth, false); },
        [=](int64_t) { return MatrixOf(w, depth, columns, false); }, finish,
        out);
  }

  // Computes the contributions of the inputs and biases to the gates of steps.
  void MultiplyInputs(OpKernelContext* context, const Sizes& sizes,
                      int64_t first, int64_t count, float* gates) const {
    const float* const b = Data(context, kB);
    std::vector<float> bias(b, b + 4 * sizes.cell);
    const auto forget_bias_begin =
        bias.begin() + gate_f_offset(layout_, sizes.cell);
    std::for_each(forget_bias_begin, forget_bias_begin + sizes.cell,
                  [this](float& value) { value += forget_bias_; });
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const math::Finish finish{nullptr, nullptr, bias.data(), -kInfinity,
                              kInfinity};
    Multiply(context, sizes, count * sizes.batch, sizes.input,
             Data(context, kX) + first * sizes.batch * sizes.input, 0, &finish,
             gates);
  }

  void Step(OpKernelContext* context, const Sizes& sizes, int64_t t,
            float* gates, float* from_states,
            float* const (&outputs)[kOutputs]) const {
    const int64_t now = t * sizes.state(), before = now - sizes.state();
    const float* const h = t ? outputs[kHOut] + before : Data(context, kH);
    const float* const state =
        t ? outputs[kCs] + before : Data(context, kState);
    Multiply(context, sizes, sizes.batch, sizes.cell, h, sizes.input, nullptr,
             from_states);
    // The cost of an element's five functions, in multiply-adds.
    constexpr int64_t kWork = 256;
    ForEachUnit(context, sizes.batch, sizes.cell * kWork, [&](int64_t row) {
      float* const own = gates + row * 4 * sizes.cell;
      const float* const added = from_states + row * 4 * sizes.cell;
      for (int64_t k = 0; k < 4 * sizes.cell; ++k) own[k] += added[k];
      const int64_t place = row * sizes.cell;
      float* out[kOutputs];
      for (int i = 0; i < kOutputs; ++i) out[i] = outputs[i] + now + place;
      Cell(context, sizes.cell, own, state + place, out);
      return true;
    });
  }

  // Computes a step of one example.
  void Cell(OpKernelContext* context, int64_t size, float* gates,
            const float* state, float* const (&out)[kOutputs]) const {
    const int set = math::SelectedInstructionSet();
    const auto sigmoid = math::kSigmoid[set];
    const auto tanh = math::kTanh[set];
    float* const i = gates;
    float* const f = gates + gate_f_offset(layout_, size);
    float* const o = gates + 3 * size;
    float* const cs = out[kCs];
    AddPeephole(context, kWci, size, state, i);
    AddPeephole(context, kWcf, size, state, f);
    sigmoid(size, i, out[kI]);
    sigmoid(size, f, out[kF]);
    tanh(size, gates + gate_c_offset(layout_, size), out[kCi]);
    for (int64_t k = 0; k < size; ++k) {
      cs[k] = out[kI][k] * out[kCi][k] + out[kF][k] * state[k];
    }
    if (cell_clip_ > 0) {
      for (int64_t k = 0; k < size; ++k) {
        cs[k] = std::min(std::max(cs[k], -cell_clip_), cell_clip_);
      }
    }
    AddPeephole(context, kWco, size, cs, o);
    sigmoid(size, o, out[kO]);
    tanh(size, cs, out[kCo]);
    for (int64_t k = 0; k < size; ++k) out[kHOut][k] = out[kO][k] * out[kCo][k];
  }

  void AddPeephole(OpKernelContext* context, Input weights, int64_t size,
                   const float* state, float* gate) const {
    if (!use_peephole_) return;
    const float* const w = Data(context, weights);
    for (int64_t k = 0; k < size; ++k) gate[k] += state[k] * w[k];
  }

  const GateLayout layout_;
  float forget_bias_ = 0;
  float cell_clip_ = 0;
  bool use_peephole_ = false;
};

}  // namespace overrides

template <typename Device, typename T, bool USE_CUBLAS, GateLayout gate_layout>
class BlockLSTMOp;

template <GateLayout gate_layout>
class BlockLSTMOp<Eigen::ThreadPoolDevice, float, false, gate_layout>
    : public overrides::BlockLSTM {
 public:
  explicit BlockLSTMOp(OpKernelConstruction* context)
      : BlockLSTM(context, gate_layout) {}
};

}  // namespace tensorflow

// TensorFlow's source, which registers the kernels.
#include_next <tensorflow/core/kernels/rnn/lstm_ops.cc>
