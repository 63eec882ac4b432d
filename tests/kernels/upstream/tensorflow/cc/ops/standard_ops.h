// The ops that TensorFlow's tests of kernels add to graphs. In place of the
// headers that TensorFlow's build generates from all op definitions.

#ifndef TENSORFLOW_CC_OPS_STANDARD_OPS_H_
#define TENSORFLOW_CC_OPS_STANDARD_OPS_H_

#include "op_node.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/lib/gtl/array_slice.h"

namespace tensorflow::ops {

using Ints = gtl::ArraySlice<int>;

struct UnaryOp : OpNode {
  UnaryOp(const Scope& scope, const char* op, Input x)
      : OpNode(scope, op, {x}) {}
};

struct Elu : UnaryOp {
  Elu(const Scope& scope, Input x) : UnaryOp(scope, "Elu", x) {}
};

struct Identity : UnaryOp {
  Identity(const Scope& scope, Input x) : UnaryOp(scope, "Identity", x) {}
};

struct Relu : UnaryOp {
  Relu(const Scope& scope, Input x) : UnaryOp(scope, "Relu", x) {}
};

struct Relu6 : UnaryOp {
  Relu6(const Scope& scope, Input x) : UnaryOp(scope, "Relu6", x) {}
};

namespace internal {

struct LeakyRelu : UnaryOp {
  LeakyRelu(const Scope& scope, Input x) : UnaryOp(scope, "LeakyRelu", x) {}
};

}  // namespace internal

struct Placeholder : OpNode {
  Placeholder(const Scope& scope, DataType type)
      : OpNode(scope, "Placeholder", {}, OpAttributes().Set("dtype", type)) {}
};

struct Cast : OpNode {
  Cast(const Scope& scope, Input x, DataType type)
      : OpNode(scope, "Cast", {x}, OpAttributes().Set("DstT", type)) {}
};

struct BinaryOp : OpNode {
  BinaryOp(const Scope& scope, const char* op, Input x, Input y)
      : OpNode(scope, op, {x, y}) {}

  Output z = output(0);
};

struct Add : BinaryOp {
  Add(const Scope& scope, Input x, Input y) : BinaryOp(scope, "Add", x, y) {}
};

struct Mul : BinaryOp {
  Mul(const Scope& scope, Input x, Input y) : BinaryOp(scope, "Mul", x, y) {}
};

struct BiasAdd : OpNode {
  BiasAdd(const Scope& scope, Input value, Input bias)
      : OpNode(scope, "BiasAdd", {value, bias}) {}
};

struct MatMul : OpNode {
  struct Attrs : OpAttributes {
    Attrs TransposeA(bool value) { return With(*this, "transpose_a", value); }
    Attrs TransposeB(bool value) { return With(*this, "transpose_b", value); }
  };

  MatMul(const Scope& scope, Input a, Input b, const Attrs& attrs = {})
      : OpNode(scope, "MatMul", {a, b}, attrs) {}
};

struct Conv2D : OpNode {
  struct Attrs : OpAttributes {
    Attrs ExplicitPaddings(Ints value) {
      return With(*this, "explicit_paddings", value);
    }
  };

  Conv2D(const Scope& scope, Input input, Input filter, Ints strides,
         StringPiece padding, Attrs attrs = {})
      : OpNode(scope, "Conv2D", {input, filter},
               attrs.Set("strides", strides).Set("padding", padding)) {}
};

struct FusedBatchNorm : OpNode {
  struct Attrs : OpAttributes {
    Attrs IsTraining(bool value) { return With(*this, "is_training", value); }
  };

  FusedBatchNorm(const Scope& scope, Input x, Input scale, Input offset,
                 Input mean, Input variance, const Attrs& attrs = {})
      : OpNode(scope, "FusedBatchNorm", {x, scale, offset, mean, variance},
               attrs) {}

  Output y = output(0);
};

struct ResizeBilinear : OpNode {
  static OpAttributes AlignCorners(bool value) {
    return OpAttributes().Set("align_corners", value);
  }

  ResizeBilinear(const Scope& scope, Input images, Input size,
                 const OpAttributes& attrs = {})
      : OpNode(scope, "ResizeBilinear", {images, size}, attrs) {}
};

struct MirrorPad : OpNode {
  MirrorPad(const Scope& scope, Input input, Input paddings, StringPiece mode)
      : OpNode(scope, "MirrorPad", {input, paddings},
               OpAttributes().Set("mode", mode)) {}
};

struct FusedPadConv2D : OpNode {
  FusedPadConv2D(const Scope& scope, Input input, Input paddings, Input filter,
                 StringPiece mode, Ints strides, StringPiece padding)
      : OpNode(scope, "FusedPadConv2D", {input, paddings, filter},
               OpAttributes()
                   .Set("mode", mode)
                   .Set("strides", strides)
                   .Set("padding", padding)) {}
};

struct FusedResizeAndPadConv2D : OpNode {
  static OpAttributes ResizeAlignCorners(bool value) {
    return OpAttributes().Set("resize_align_corners", value);
  }

  FusedResizeAndPadConv2D(const Scope& scope, Input input, Input size,
                          Input paddings, Input filter, StringPiece mode,
                          Ints strides, StringPiece padding,
                          OpAttributes attrs = {})
      : OpNode(scope, "FusedResizeAndPadConv2D",
               {input, size, paddings, filter},
               attrs.Set("mode", mode)
                   .Set("strides", strides)
                   .Set("padding", padding)) {}
};

struct AudioSpectrogram : OpNode {
  struct Attrs : OpAttributes {
    Attrs MagnitudeSquared(bool value) {
      return With(*this, "magnitude_squared", value);
    }
  };

  AudioSpectrogram(const Scope& scope, Input input, int64_t window_size,
                   int64_t stride, Attrs attrs = {})
      : OpNode(scope, "AudioSpectrogram", {input},
               attrs.Set("window_size", window_size).Set("stride", stride)) {}

  Output spectrogram = output(0);
};

struct Dequantize : OpNode {
  struct Attrs : OpAttributes {
    Attrs Dtype(DataType value) { return With(*this, "dtype", value); }
    Attrs Mode(StringPiece value) { return With(*this, "mode", value); }
  };

  Dequantize(const Scope& scope, Input input, Input minimum, Input maximum,
             const Attrs& attrs = {})
      : OpNode(scope, "Dequantize", {input, minimum, maximum}, attrs) {}
};

struct QuantizedBinaryOp : OpNode {
  QuantizedBinaryOp(const Scope& scope, const char* op, Input x, Input y,
                    Input min_x, Input max_x, Input min_y, Input max_y)
      : OpNode(scope, op, {x, y, min_x, max_x, min_y, max_y}) {}

  Output z = output(0);
  Output min_z = output(1);
  Output max_z = output(2);
};

struct QuantizedAdd : QuantizedBinaryOp {
  QuantizedAdd(const Scope& scope, Input x, Input y, Input min_x, Input max_x,
               Input min_y, Input max_y)
      : QuantizedBinaryOp(scope, "QuantizedAdd", x, y, min_x, max_x, min_y,
                          max_y) {}
};

struct QuantizedMul : QuantizedBinaryOp {
  QuantizedMul(const Scope& scope, Input x, Input y, Input min_x, Input max_x,
               Input min_y, Input max_y)
      : QuantizedBinaryOp(scope, "QuantizedMul", x, y, min_x, max_x, min_y,
                          max_y) {}
};

}  // namespace tensorflow::ops

#endif  // TENSORFLOW_CC_OPS_STANDARD_OPS_H_
