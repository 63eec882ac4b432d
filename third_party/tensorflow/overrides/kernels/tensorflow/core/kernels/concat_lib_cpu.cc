// Overrides TensorFlow's source of the same path: one loop joins the rows of
// tensors of all types of a size. TensorFlow instantiates two loops for each
// type.

#include "tensorflow/core/kernels/concat_lib_cpu.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/kernels/concat_lib.h"
#include "tensorflow/core/kernels/override_copy.h"
#include "tensorflow/core/kernels/override_share.h"

namespace tensorflow {
namespace overrides {

// The columns of the output that come from one input.
template <typename Element>
struct Columns {
  const Element* data;
  int64_t count;
};

// Writes `size` elements of rows with `row_size` elements.
template <typename Element>
void JoinRows(const Eigen::ThreadPoolDevice& device,
              const std::vector<Columns<Element>>& inputs, int64_t row_size,
              int64_t size, Element* out) {
  // Strings have further bytes.
  const double cycles = std::is_trivially_copyable<Element>::value
                            ? sizeof(Element) / 4.0
                            : sizeof(Element);
  Share(device, size, cycles, [&](int64_t begin, int64_t end) {
    int64_t row = begin / row_size, column = begin % row_size;
    for (; begin < end; ++row, column = 0) {
      for (const Columns<Element>& input : inputs) {
        const int64_t first = std::min(column, input.count);
        const int64_t count = std::min(input.count - first, end - begin);
        std::copy_n(input.data + row * input.count + first, count, out + begin);
        begin += count;
        column -= first;
      }
    }
  });
}

}  // namespace overrides

// Same as TensorFlow's function.
template <typename T>
void ConcatCPU(
    DeviceBase* device,
    const std::vector<std::unique_ptr<typename TTypes<T, 2>::ConstMatrix>>&
        inputs,
    typename TTypes<T, 2>::Matrix* output) {
  using Element = overrides::Element<T>;
  std::vector<overrides::Columns<Element>> columns;
  columns.reserve(inputs.size());
  for (const auto& input : inputs) {
    columns.push_back(
        {reinterpret_cast<const Element*>(input->data()), input->dimension(1)});
  }
  overrides::JoinRows(*device->eigen_cpu_device(), columns,
                      output->dimension(1), output->size(),
                      reinterpret_cast<Element*>(output->data()));
}

#define TFCARVE_DEFINE_CONCAT(T)                                               \
  template void ConcatCPU<T>(                                                  \
      DeviceBase*,                                                             \
      const std::vector<std::unique_ptr<typename TTypes<T, 2>::ConstMatrix>>&, \
      typename TTypes<T, 2>::Matrix*);

TF_CALL_ALL_TYPES(TFCARVE_DEFINE_CONCAT)
TFCARVE_DEFINE_CONCAT(quint8)
TFCARVE_DEFINE_CONCAT(qint8)
TFCARVE_DEFINE_CONCAT(quint16)
TFCARVE_DEFINE_CONCAT(qint16)
TFCARVE_DEFINE_CONCAT(qint32)
// TensorFlow 2.16 has kernels for them.
#ifdef TF_CALL_int4
TF_CALL_float8_e5m2(TFCARVE_DEFINE_CONCAT)
    TF_CALL_float8_e4m3fn(TFCARVE_DEFINE_CONCAT)
#endif

}  // namespace tensorflow
