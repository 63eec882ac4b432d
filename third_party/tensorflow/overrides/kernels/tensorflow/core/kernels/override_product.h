// Products of real matrices with Eigen's blocked kernel. Each of its parts is
// compiled once for all layouts of the operands.

#ifndef TENSORFLOW_CORE_KERNELS_OVERRIDE_PRODUCT_H_
#define TENSORFLOW_CORE_KERNELS_OVERRIDE_PRODUCT_H_

#include <algorithm>

#include "Eigen/Core"

namespace tensorflow {
namespace overrides {

using Eigen::ColMajor;
using Eigen::Index;
using Eigen::RowMajor;
using Eigen::internal::const_blas_data_mapper;

// An operand of a product. Its stride is the distance of columns or rows.
template <typename T>
struct Matrix {
  const T* data;
  Index stride;
  bool by_columns;

  Matrix FromRow(Index row) const {
    return {data + (by_columns ? row : row * stride), stride, by_columns};
  }
  Matrix FromColumn(Index column) const {
    return {data + (by_columns ? column * stride : column), stride, by_columns};
  }
  Matrix Transposed() const { return {data, stride, !by_columns}; }

  // Whether the first column is contiguous.
  bool IsContiguousColumn() const { return by_columns || stride == 1; }
};

// out += lhs * rhs, where each column of `out` has `rows` contiguous elements.
template <typename T, int kLhsOrder, int kRhsOrder>
void Multiply(Index rows, Index columns, Index depth, const Matrix<T>& lhs,
              const Matrix<T>& rhs, T* out, Index out_stride) {
  Eigen::internal::gemm_blocking_space<ColMajor, T, T, Eigen::Dynamic,
                                       Eigen::Dynamic, Eigen::Dynamic>
      blocking(rows, columns, depth, 1, true);
  Eigen::internal::general_matrix_matrix_product<
      Index, T, kLhsOrder, false, T, kRhsOrder, false, ColMajor,
      1>::run(rows, columns, depth, lhs.data, lhs.stride, rhs.data, rhs.stride,
              out, 1, out_stride, T(1), blocking);
}

// out += matrix * vector.
template <typename T, int kOrder>
void MultiplyVector(Index rows, Index depth, const Matrix<T>& matrix,
                    const T* vector, T* out) {
  // The order that Eigen's kernels require for a contiguous vector.
  constexpr int kVectorOrder = kOrder == ColMajor ? RowMajor : ColMajor;
  using MatrixMapper = const_blas_data_mapper<T, Index, kOrder>;
  using VectorMapper = const_blas_data_mapper<T, Index, kVectorOrder>;
  Eigen::internal::general_matrix_vector_product<
      Index, T, MatrixMapper, kOrder, false, T, VectorMapper,
      false>::run(rows, depth, MatrixMapper(matrix.data, matrix.stride),
                  VectorMapper(vector, 1), out, 1, T(1));
}

// out = lhs * rhs.
template <typename T>
void Product(Index rows, Index columns, Index depth, const Matrix<T>& lhs,
             const Matrix<T>& rhs, T* out, Index out_stride) {
  for (Index c = 0; c < columns; ++c) {
    std::fill_n(out + c * out_stride, rows, T(0));
  }
  if (columns == 1 && rhs.IsContiguousColumn()) {
    const auto run = lhs.by_columns ? MultiplyVector<T, ColMajor>
                                    : MultiplyVector<T, RowMajor>;
    run(rows, depth, lhs, rhs.data, out);
  } else if (out_stride == 1 && lhs.Transposed().IsContiguousColumn()) {
    const Matrix<T> matrix = rhs.Transposed();
    const auto run = matrix.by_columns ? MultiplyVector<T, ColMajor>
                                       : MultiplyVector<T, RowMajor>;
    run(columns, depth, matrix, lhs.data, out);
  } else {
    const auto by_columns = rhs.by_columns ? Multiply<T, ColMajor, ColMajor>
                                           : Multiply<T, ColMajor, RowMajor>;
    const auto by_rows = rhs.by_columns ? Multiply<T, RowMajor, ColMajor>
                                        : Multiply<T, RowMajor, RowMajor>;
    const auto run = lhs.by_columns ? by_columns : by_rows;
    run(rows, columns, depth, lhs, rhs, out, out_stride);
  }
}

}  // namespace overrides
}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_OVERRIDE_PRODUCT_H_
