#include "tools/runtime/models/constant_tensor.h"

#include <cstring>
#include <utility>

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/models/foreign_buffer.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

// A part of a mapped file; keeps the file mapped.
class MappedBuffer final : public ForeignBuffer {
 public:
  MappedBuffer(const MappedFile* file, std::string_view bytes)
      : ForeignBuffer(bytes.data(), bytes.size()), file_(file) {
    file_->Ref();
  }
  ~MappedBuffer() override { file_->Unref(); }

 private:
  const MappedFile* const file_;
};

}  // namespace

Status ConstantTensor(const tensorflow::TensorProto& head,
                      std::string_view bytes, const MappedFile* file,
                      Tensor* tensor, size_t* mapped_bytes) {
  if (!tensorflow::TensorShape::IsValid(head.tensor_shape())) {
    return InvalidArgument("its value has no valid shape");
  }
  const tensorflow::TensorShape shape(head.tensor_shape());
  const size_t element = tensorflow::DataTypeSize(head.dtype());
  const auto count = static_cast<uint64_t>(shape.num_elements());
  if (bytes.size() % element != 0 || bytes.size() / element != count) {
    return InvalidArgument(StrCat("its value has ", bytes.size(),
                                  " bytes, which is not ", count,
                                  " elements of ", element, " bytes"));
  }
  if (file != nullptr &&
      reinterpret_cast<uintptr_t>(bytes.data()) % kConstantAlignment == 0) {
    *mapped_bytes += bytes.size();
    auto* const buffer = new MappedBuffer(file, bytes);
    *tensor = Tensor(head.dtype(), shape, buffer);
    buffer->Unref();
    return tensorflow::OkStatus();
  }
  Tensor copy(head.dtype(), shape);
  if (!copy.IsInitialized()) {
    return InvalidArgument("out of memory for its value");
  }
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  *tensor = std::move(copy);
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
