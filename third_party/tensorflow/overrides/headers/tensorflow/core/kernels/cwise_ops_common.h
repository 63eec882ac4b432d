// Precedes TensorFlow's header of the same path: a loop for each function of
// elements. TensorFlow instantiates up to 30 Eigen expressions for each
// function and type: five ranks with different broadcasts.

#ifndef TFCARVE_OVERRIDES_CWISE_OPS_COMMON_H_
#define TFCARVE_OVERRIDES_CWISE_OPS_COMMON_H_

#include <type_traits>

#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_elementwise.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

// The functors of TensorFlow's header, which is included later, call
// Assign(device, out, expression). These overloads are more specialized than
// the function of that header.
template <typename Out, typename Function, typename In,
          typename = std::enable_if_t<overrides::Operand<In>::kIs>>
void Assign(const Eigen::ThreadPoolDevice& device, Out out,
            Eigen::TensorCwiseUnaryOp<Function, In> expression) {
  using Result = overrides::ElementOfOperand<Out>;
  if (out.size() == 0) return;
  overrides::Elementwise loop = overrides::Into(out);
  loop.function = &expression.functor();
  loop.row =
      overrides::UnaryRow<Function, Result, overrides::ElementOfOperand<In>>;
  loop.cycles = overrides::CyclesOf<Function>();
  overrides::AddOperand(expression.nestedExpression(), &loop);
  overrides::Compute(device, loop);
}

template <typename Out, typename Function, typename Left, typename Right,
          typename = std::enable_if_t<overrides::Operand<Left>::kIs &&
                                      overrides::Operand<Right>::kIs>>
void Assign(const Eigen::ThreadPoolDevice& device, Out out,
            Eigen::TensorCwiseBinaryOp<Function, Left, Right> expression) {
  using Result = overrides::ElementOfOperand<Out>;
  if (out.size() == 0) return;
  overrides::Elementwise loop = overrides::Into(out);
  loop.function = &expression.functor();
  loop.row =
      overrides::BinaryRow<Function, Result, overrides::ElementOfOperand<Left>,
                           overrides::ElementOfOperand<Right>>;
  loop.cycles = overrides::CyclesOf<Function>();
  overrides::AddOperand(expression.lhsExpression(), &loop);
  overrides::AddOperand(expression.rhsExpression(), &loop);
  overrides::Compute(device, loop);
}

template <typename Out, typename If, typename Then, typename Else,
          typename = std::enable_if_t<overrides::Operand<If>::kIs &&
                                      overrides::Operand<Then>::kIs &&
                                      overrides::Operand<Else>::kIs>>
void Assign(const Eigen::ThreadPoolDevice& device, Out out,
            Eigen::TensorSelectOp<If, Then, Else> select) {
  using Element = overrides::Element<overrides::ElementOfOperand<Out>>;
  if (out.size() == 0) return;
  overrides::Elementwise loop = overrides::Into(out);
  loop.row = overrides::SelectRow<Element>;
  loop.cycles = 2;
  overrides::AddOperand(select.ifExpression(), &loop);
  overrides::AddOperand(select.thenExpression(), &loop);
  overrides::AddOperand(select.elseExpression(), &loop);
  overrides::Compute(device, loop);
}

}  // namespace functor
}  // namespace tensorflow

namespace Eigen {
namespace internal {

// SelectV2 assigns its expression, of three operands that are broadcast,
// without TensorFlow's function.
#define TFCARVE_SELECT_EXECUTOR(tiling)                                       \
  template <typename T, int kOptions, template <class> class MakePointer,     \
            typename IfTimes, typename If, typename ThenTimes, typename Then, \
            typename ElseTimes, typename Else, bool kVectorizable>            \
  class TensorExecutor<                                                       \
      const TensorAssignOp<                                                   \
          TensorMap<T, kOptions, MakePointer>,                                \
          const TensorSelectOp<const TensorBroadcastingOp<IfTimes, If>,       \
                               const TensorBroadcastingOp<ThenTimes, Then>,   \
                               const TensorBroadcastingOp<ElseTimes, Else>>>, \
      ThreadPoolDevice, kVectorizable, tiling> {                              \
   public:                                                                    \
    template <typename Assignment>                                            \
    static void run(const Assignment& assignment,                             \
                    const ThreadPoolDevice& device) {                         \
      ::tensorflow::functor::Assign(device, assignment.lhsExpression(),       \
                                    assignment.rhsExpression());              \
    }                                                                         \
  };
TFCARVE_SELECT_EXECUTOR(TiledEvaluation::Off)
TFCARVE_SELECT_EXECUTOR(TiledEvaluation::On)
#undef TFCARVE_SELECT_EXECUTOR

}  // namespace internal
}  // namespace Eigen

#else
// A source of TensorFlow includes its header, and the compiler found this one.
#include_next <tensorflow/core/kernels/cwise_ops_common.h>
#endif  // TFCARVE_OVERRIDES_CWISE_OPS_COMMON_H_
