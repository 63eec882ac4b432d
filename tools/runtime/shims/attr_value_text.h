// The text of attributes: TensorFlow's build generates these functions from
// protos (tensorflow/tools/proto_text), with a generator that needs all of
// protobuf. This file has the generated functions that the runtime calls.

#ifndef TFCARVE_TOOLS_RUNTIME_SHIMS_ATTR_VALUE_TEXT_H_
#define TFCARVE_TOOLS_RUNTIME_SHIMS_ATTR_VALUE_TEXT_H_

#include <string>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/types.pb.h"

namespace tensorflow {

// Parses the text format of protocol buffers, for example "list { i: [1, 2] }":
// op definitions contain default values as text. Returns false if `text` is not
// an AttrValue; the contents of `value` are then unspecified.
bool ProtoParseFromString(const std::string& text, AttrValue* value);

// The name of a data type, for example "DT_FLOAT"; empty for other numbers.
inline const std::string& EnumName_DataType(DataType type) {
  return DataType_Name(type);
}

}  // namespace tensorflow

#endif  // TFCARVE_TOOLS_RUNTIME_SHIMS_ATTR_VALUE_TEXT_H_
