// Overrides TensorFlow's source of the same path: registers the same kernel and
// computes products of bytes with tools/runtime/math instead of gemmlowp.

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/kernels/override_bytes.h"

namespace tensorflow {

template <bool TransposeA, bool TransposeB, bool TransposeC>
void GemmlowpMultiply(OpKernelContext* op_context, const quint8* a_data,
                      const quint8* b_data, qint32* c_data, int m, int n, int k,
                      int offset_a, int offset_b, int lda, int ldb, int ldc);

#define TFCARVE_MULTIPLY(a_is_transposed, b_is_transposed)                    \
  template <>                                                                 \
  inline void GemmlowpMultiply<a_is_transposed, b_is_transposed, false>(      \
      OpKernelContext * context, const quint8* a, const quint8* b, qint32* c, \
      int m, int n, int k, int a_zero, int b_zero, int lda, int ldb, int) {   \
    overrides::MultiplyMatrices(context, a_is_transposed, b_is_transposed, a, \
                                b, c, m, n, k, a_zero, b_zero, lda, ldb);     \
  }

TFCARVE_MULTIPLY(false, false)
TFCARVE_MULTIPLY(false, true)
TFCARVE_MULTIPLY(true, false)
TFCARVE_MULTIPLY(true, true)

#undef TFCARVE_MULTIPLY

}  // namespace tensorflow

// TensorFlow's source, which registers the kernel.
#include_next <tensorflow/core/kernels/quantized_matmul_op.cc>
