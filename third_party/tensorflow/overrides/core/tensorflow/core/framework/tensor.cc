// Overrides TensorFlow's source of the same path: two functions write the
// elements of tensors of all types, in place of two functions for each type.

#include "tensorflow/core/framework/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/escaping.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/types.h"
#include "tensorflow/core/public/version.h"

namespace tensorflow {
namespace {

// TensorFlow's functions, which its source defines below.
inline const strings::AlphaNum& PrintOneElement(const strings::AlphaNum& a,
                                                bool print_v2);
inline string PrintOneElement(const tstring& a, bool print_v2);
inline float PrintOneElement(const Eigen::half& h, bool print_v2);
inline float PrintOneElement(bfloat16 f, bool print_v2);
inline float PrintOneElement(float8_e5m2 f, bool print_v2);
inline float PrintOneElement(float8_e4m3fn f, bool print_v2);
#if TF_MINOR_VERSION >= 16
inline int16_t PrintOneElement(int4 a, bool print_v2);
inline uint16_t PrintOneElement(uint4 a, bool print_v2);
#endif
void PrintDimSpacing(int dim_index, int num_dims, string* result);

// Returns the text of an element.
using ElementText = string (*)(const void* elements, int64_t index,
                               bool print_v2);

template <typename T>
string TextOf(const void* elements, int64_t index, bool print_v2) {
  const T& element = static_cast<const T*>(elements)[index];
  return strings::StrCat(PrintOneElement(element, print_v2));
}

// Writes the elements of a tensor, with brackets around each row.
class ElementsWriter {
 public:
  ElementsWriter(const TensorShape& shape, int64_t limit, const void* elements,
                 ElementText text, string* result)
      : sizes_(shape.dim_sizes()),
        limit_(limit),
        elements_(elements),
        text_(text),
        result_(*result) {}

  // Writes the first `limit` elements.
  void WriteFirst(int dim) {
    const bool is_row = dim + 1 == dims();
    for (int64_t i = 0; i < sizes_[dim] && (is_row || next_ < limit_); ++i) {
      if (!is_row) {
        result_ += '[';
        WriteFirst(dim + 1);
        result_ += ']';
      } else if (next_ < limit_) {
        if (i > 0) result_ += ' ';
        result_ += text_(elements_, next_++, /*print_v2=*/false);
      } else {
        if (dim != 0) result_ += "...";
        return;
      }
    }
  }

  // Writes the first and the last `limit` elements of each dimension. `index`:
  // of the first element.
  void WriteEnds(int dim, int64_t index) {
    if (dim == dims()) {
      result_ += text_(elements_, index, /*print_v2=*/true);
      return;
    }
    int64_t stride = 1;
    for (int i = dim + 1; i < dims(); ++i) stride *= sizes_[i];
    const int64_t size = sizes_[dim];
    result_ += '[';
    for (int64_t i = 0; i < size;) {
      if (i > 0 || limit_ == 0) PrintDimSpacing(dim, dims(), &result_);
      if (i == limit_ && i < size - limit_) {
        result_ += "...";
        i = size - limit_;
      } else {
        WriteEnds(dim + 1, index + stride * i++);
      }
    }
    result_ += ']';
  }

 private:
  int dims() const { return static_cast<int>(sizes_.size()); }

  const gtl::InlinedVector<int64_t, 4> sizes_;
  const int64_t limit_;
  const void* const elements_;
  const ElementText text_;
  string& result_;
  int64_t next_ = 0;
};

string TextOfElements(int64_t limit, int64_t count, const TensorShape& shape,
                      const void* elements, ElementText text, bool print_v2) {
  string result;
  ElementsWriter writer(shape, limit, elements, text, &result);
  if (print_v2 && shape.dims() > 0) {
    writer.WriteEnds(0, 0);
    return result;
  }
  if (shape.dims() > 0) {
    writer.WriteFirst(0);
  } else if (limit > 0) {
    result = text(elements, 0, print_v2);
  }
  if (count > limit) result += "...";
  return result;
}

template <typename T>
string SummarizeArrayInternal(int64_t limit, int64_t count,
                              const TensorShape& shape, const T* elements,
                              bool print_v2) {
  return TextOfElements(limit, count, shape, elements, TextOf<T>, print_v2);
}

}  // namespace
}  // namespace tensorflow

// Renames the definition, not the calls, which name a type.
#define SummarizeArrayInternal(...) UnusedSummarizeArrayInternal(__VA_ARGS__)

#include <tensorflow/core/framework/tensor.cc>
