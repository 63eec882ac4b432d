// Overrides TensorFlow's source of the same path: instantiates the gradients of
// Tile for all ranks. TensorFlow has a source for each rank.

#define CPU_PROVIDED_IXDIM 1
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 2
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 3
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 4
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 5
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 6
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM

#undef TENSORFLOW_CORE_KERNELS_TILE_OPS_CPU_IMPL_H_
#define CPU_PROVIDED_IXDIM 7
#include "tensorflow/core/kernels/tile_ops_cpu_impl.h"
#undef CPU_PROVIDED_IXDIM
