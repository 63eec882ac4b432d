// Overrides TensorFlow's source of the same path: instantiates Slice for all
// ranks. TensorFlow has a source for each rank.

#define CPU_PROVIDED_IXDIM 1
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 2
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 3
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 4
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 5
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 6
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 7
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_SLICE_OP_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 8
#include "tensorflow/core/kernels/slice_op_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM
