#include "tools/runtime/api/inputs.h"

#include <cstdint>
#include <cstring>

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/models/constant_tensor.h"
#include "tools/runtime/models/foreign_buffer.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::Tensor;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

Status Copy(const tfcarve_tensor& input, Tensor* tensor) {
  if (!tensor->IsInitialized()) {
    return tensorflow::errors::ResourceExhausted("out of memory");
  }
  if (tensor->dtype() != tensorflow::DT_STRING) {
    if (input.size > 0) std::memcpy(tensor->data(), input.data, input.size);
    return tensorflow::OkStatus();
  }
  const auto* const strings = static_cast<const tfcarve_string*>(input.data);
  auto flat = tensor->flat<tensorflow::tstring>();
  for (int64_t i = 0; i < flat.size(); ++i) {
    if (strings[i].data == nullptr && strings[i].size > 0) {
      return InvalidArgument(StrCat("string ", i, " has no data"));
    }
    flat(i).assign(strings[i].data == nullptr ? "" : strings[i].data,
                   strings[i].size);
  }
  return tensorflow::OkStatus();
}

Status Read(const tfcarve_tensor& input, bool borrow, Tensor* tensor) {
  const auto dtype = static_cast<tensorflow::DataType>(input.dtype);
  const bool is_string = dtype == tensorflow::DT_STRING;
  if (!tensorflow::DataType_IsValid(input.dtype) ||
      !(is_string || tensorflow::DataTypeCanUseMemcpy(dtype))) {
    return InvalidArgument(StrCat("an input cannot have type ", input.dtype));
  }
  if (input.rank < 0 || (input.rank > 0 && input.dims == nullptr)) {
    return InvalidArgument(StrCat("rank ", input.rank, " without dims"));
  }
  tensorflow::TensorShape shape;
  const std::vector<int64_t> dims(input.dims, input.dims + input.rank);
  TF_RETURN_IF_ERROR(tensorflow::TensorShape::BuildTensorShape(dims, &shape));

  // Division, because the product could overflow.
  const size_t element =
      is_string ? sizeof(tfcarve_string) : tensorflow::DataTypeSize(dtype);
  const auto count = static_cast<uint64_t>(shape.num_elements());
  if (input.size % element != 0 || input.size / element != count) {
    return InvalidArgument(StrCat("it has ", input.size,
                                  " bytes, which is not ", count,
                                  " elements of ", element, " bytes"));
  }
  if (count > 0 && input.data == nullptr) {
    return InvalidArgument("it has no data");
  }
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(input.data) % kConstantAlignment == 0;
  if (borrow && is_aligned && count > 0 && !is_string) {
    auto* const buffer = new ForeignBuffer(input.data, input.size);
    *tensor = Tensor(dtype, shape, buffer);
    buffer->Unref();
    return tensorflow::OkStatus();
  }
  *tensor = Tensor(dtype, shape);
  return Copy(input, tensor);
}

}  // namespace

Status ReadInputs(const tfcarve_tensor* inputs, size_t count, bool borrow,
                  Feeds* feeds) {
  if (inputs == nullptr && count > 0) {
    return InvalidArgument(StrCat("inputs is NULL, input_count is ", count));
  }
  feeds->resize(count);
  for (size_t i = 0; i < count; ++i) {
    const char* const name = inputs[i].name;
    if (name == nullptr) return InvalidArgument("an input has no name");
    (*feeds)[i].first = name;
    const Status status = Read(inputs[i], borrow, &(*feeds)[i].second);
    if (!status.ok()) {
      return Status(status.code(),
                    StrCat("input '", name, "': ", status.message()));
    }
  }
  return tensorflow::OkStatus();
}

bool IsBorrowed(const Tensor& tensor, const tfcarve_tensor* inputs,
                size_t count) {
  if (!tensorflow::DataTypeCanUseMemcpy(tensor.dtype())) return false;
  const auto data = reinterpret_cast<uintptr_t>(tensor.data());
  for (size_t i = 0; i < count; ++i) {
    const auto start = reinterpret_cast<uintptr_t>(inputs[i].data);
    if (data >= start && data - start < inputs[i].size) return true;
  }
  return false;
}

}  // namespace tfcarve
