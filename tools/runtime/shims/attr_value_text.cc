#include "attr_value_text.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"
#include "tensorflow/core/framework/resource_handle.pb.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/lib/strings/proto_text_util.h"
#include "tensorflow/core/lib/strings/scanner.h"

namespace tensorflow {
namespace {

using ::google::protobuf::internal::WireFormatLite;
using ::google::protobuf::io::CodedOutputStream;
using ::google::protobuf::io::StringOutputStream;
using ::tensorflow::strings::ProtoParseBoolFromScanner;
using ::tensorflow::strings::ProtoParseNumericFromScanner;
using ::tensorflow::strings::ProtoParseStringLiteralFromScanner;
using ::tensorflow::strings::ProtoSpaceAndComments;
using ::tensorflow::strings::Scanner;

// The limit of protobuf's own parsers.
constexpr int kMaxDepth = 100;

enum class Type {
  kBool,
  kDataType,
  kDouble,
  kFloat,
  kInt32,
  kInt64,
  kString,
  kUint32,
  kUint64,
  // Messages.
  kAttrEntry,
  kAttrList,
  kAttrValue,
  kDim,
  kDtypeAndShape,
  kNameAttrList,
  kResourceHandle,
  kShape,
  kTensor,
  kVariant,
};

struct Field {
  const char* name;
  int number;
  Type type;
  bool repeated;
};

constexpr bool kRepeated = true;

constexpr Field kAttrEntryFields[] = {
    {"key", 1, Type::kString},
    {"value", 2, Type::kAttrValue},
};

constexpr Field kAttrListFields[] = {
    {"s", AttrValue_ListValue::kSFieldNumber, Type::kString, kRepeated},
    {"i", AttrValue_ListValue::kIFieldNumber, Type::kInt64, kRepeated},
    {"f", AttrValue_ListValue::kFFieldNumber, Type::kFloat, kRepeated},
    {"b", AttrValue_ListValue::kBFieldNumber, Type::kBool, kRepeated},
    {"type", AttrValue_ListValue::kTypeFieldNumber, Type::kDataType, kRepeated},
    {"shape", AttrValue_ListValue::kShapeFieldNumber, Type::kShape, kRepeated},
    {"tensor", AttrValue_ListValue::kTensorFieldNumber, Type::kTensor,
     kRepeated},
    {"func", AttrValue_ListValue::kFuncFieldNumber, Type::kNameAttrList,
     kRepeated},
};

constexpr Field kAttrValueFields[] = {
    {"s", AttrValue::kSFieldNumber, Type::kString},
    {"i", AttrValue::kIFieldNumber, Type::kInt64},
    {"f", AttrValue::kFFieldNumber, Type::kFloat},
    {"b", AttrValue::kBFieldNumber, Type::kBool},
    {"type", AttrValue::kTypeFieldNumber, Type::kDataType},
    {"shape", AttrValue::kShapeFieldNumber, Type::kShape},
    {"tensor", AttrValue::kTensorFieldNumber, Type::kTensor},
    {"list", AttrValue::kListFieldNumber, Type::kAttrList},
    {"func", AttrValue::kFuncFieldNumber, Type::kNameAttrList},
    {"placeholder", AttrValue::kPlaceholderFieldNumber, Type::kString},
};

constexpr Field kDimFields[] = {
    {"size", TensorShapeProto_Dim::kSizeFieldNumber, Type::kInt64},
    {"name", TensorShapeProto_Dim::kNameFieldNumber, Type::kString},
};

constexpr Field kDtypeAndShapeFields[] = {
    {"dtype", ResourceHandleProto_DtypeAndShape::kDtypeFieldNumber,
     Type::kDataType},
    {"shape", ResourceHandleProto_DtypeAndShape::kShapeFieldNumber,
     Type::kShape},
};

constexpr Field kNameAttrListFields[] = {
    {"name", NameAttrList::kNameFieldNumber, Type::kString},
    {"attr", NameAttrList::kAttrFieldNumber, Type::kAttrEntry, kRepeated},
};

constexpr Field kResourceHandleFields[] = {
    {"device", ResourceHandleProto::kDeviceFieldNumber, Type::kString},
    {"container", ResourceHandleProto::kContainerFieldNumber, Type::kString},
    {"name", ResourceHandleProto::kNameFieldNumber, Type::kString},
    {"hash_code", ResourceHandleProto::kHashCodeFieldNumber, Type::kUint64},
    {"maybe_type_name", ResourceHandleProto::kMaybeTypeNameFieldNumber,
     Type::kString},
    {"dtypes_and_shapes", ResourceHandleProto::kDtypesAndShapesFieldNumber,
     Type::kDtypeAndShape, kRepeated},
};

constexpr Field kShapeFields[] = {
    {"dim", TensorShapeProto::kDimFieldNumber, Type::kDim, kRepeated},
    {"unknown_rank", TensorShapeProto::kUnknownRankFieldNumber, Type::kBool},
};

constexpr Field kTensorFields[] = {
    {"dtype", TensorProto::kDtypeFieldNumber, Type::kDataType},
    {"tensor_shape", TensorProto::kTensorShapeFieldNumber, Type::kShape},
    {"version_number", TensorProto::kVersionNumberFieldNumber, Type::kInt32},
    {"tensor_content", TensorProto::kTensorContentFieldNumber, Type::kString},
    {"half_val", TensorProto::kHalfValFieldNumber, Type::kInt32, kRepeated},
    {"float_val", TensorProto::kFloatValFieldNumber, Type::kFloat, kRepeated},
    {"double_val", TensorProto::kDoubleValFieldNumber, Type::kDouble,
     kRepeated},
    {"int_val", TensorProto::kIntValFieldNumber, Type::kInt32, kRepeated},
    {"string_val", TensorProto::kStringValFieldNumber, Type::kString,
     kRepeated},
    {"scomplex_val", TensorProto::kScomplexValFieldNumber, Type::kFloat,
     kRepeated},
    {"int64_val", TensorProto::kInt64ValFieldNumber, Type::kInt64, kRepeated},
    {"bool_val", TensorProto::kBoolValFieldNumber, Type::kBool, kRepeated},
    {"dcomplex_val", TensorProto::kDcomplexValFieldNumber, Type::kDouble,
     kRepeated},
    {"resource_handle_val", TensorProto::kResourceHandleValFieldNumber,
     Type::kResourceHandle, kRepeated},
    {"variant_val", TensorProto::kVariantValFieldNumber, Type::kVariant,
     kRepeated},
    {"uint32_val", TensorProto::kUint32ValFieldNumber, Type::kUint32,
     kRepeated},
    {"uint64_val", TensorProto::kUint64ValFieldNumber, Type::kUint64,
     kRepeated},
    {"float8_val", TensorProto::kFloat8ValFieldNumber, Type::kString},
};

constexpr Field kVariantFields[] = {
    {"type_name", VariantTensorDataProto::kTypeNameFieldNumber, Type::kString},
    {"metadata", VariantTensorDataProto::kMetadataFieldNumber, Type::kString},
    {"tensors", VariantTensorDataProto::kTensorsFieldNumber, Type::kTensor,
     kRepeated},
};

// The fields of a message; none of other types.
absl::Span<const Field> FieldsOf(Type type) {
  switch (type) {
    case Type::kAttrEntry:
      return kAttrEntryFields;
    case Type::kAttrList:
      return kAttrListFields;
    case Type::kAttrValue:
      return kAttrValueFields;
    case Type::kDim:
      return kDimFields;
    case Type::kDtypeAndShape:
      return kDtypeAndShapeFields;
    case Type::kNameAttrList:
      return kNameAttrListFields;
    case Type::kResourceHandle:
      return kResourceHandleFields;
    case Type::kShape:
      return kShapeFields;
    case Type::kTensor:
      return kTensorFields;
    case Type::kVariant:
      return kVariantFields;
    default:
      return {};
  }
}

// Translates text to the wire format. All functions return whether the text is
// valid so far.
class Parser {
 public:
  explicit Parser(StringPiece text) : scanner_(text) {}

  bool AttrValueOnly(std::string* wire) {
    return Message(Type::kAttrValue, '\0', 0, wire);
  }

 private:
  // The fields of a message up to `close`, or up to the end of the text.
  bool Message(Type type, char close, int depth, std::string* wire) {
    if (depth > kMaxDepth) return false;
    const absl::Span<const Field> fields = FieldsOf(type);
    StringOutputStream strings(wire);
    CodedOutputStream out(&strings);
    uint32_t seen = 0;
    for (;;) {
      ProtoSpaceAndComments(&scanner_);
      if (close == '\0' ? scanner_.empty() : scanner_.Peek() == close) break;
      size_t index = 0;
      if (!FindField(fields, &index)) return false;
      const Field& field = fields[index];
      // An AttrValue has one value. Other messages have each field once.
      const uint32_t forbidden =
          type == Type::kAttrValue ? ~0u : uint32_t{1} << index;
      if (!field.repeated && (seen & forbidden)) return false;
      seen |= uint32_t{1} << index;
      if (!Values(field, depth, &out)) return false;
    }
    if (close != '\0') {
      scanner_.One(Scanner::ALL);
      ProtoSpaceAndComments(&scanner_);
    }
    // Both key and value.
    return type != Type::kAttrEntry || seen == 3;
  }

  bool FindField(absl::Span<const Field> fields, size_t* index) {
    StringPiece name;
    if (!scanner_.RestartCapture()
             .Many(Scanner::LETTER_DIGIT_UNDERSCORE)
             .GetResult(nullptr, &name)) {
      return false;
    }
    while (*index < fields.size() && name != fields[*index].name) ++*index;
    return *index < fields.size();
  }

  // The text after the name of a field: a value, or several in brackets.
  bool Values(const Field& field, int depth, CodedOutputStream* out) {
    const bool is_message = !FieldsOf(field.type).empty();
    ProtoSpaceAndComments(&scanner_);
    if (!Skip(':') && !is_message) return false;
    const bool is_list = field.repeated && scanner_.Peek() == '[';
    if (is_list) Skip('[');
    do {
      const bool valid =
          is_message ? Nested(field, depth, out) : Scalar(field, out);
      if (!valid) return false;
      ProtoSpaceAndComments(&scanner_);
    } while (is_list && Skip(','));
    return !is_list || Skip(']');
  }

  bool Nested(const Field& field, int depth, CodedOutputStream* out) {
    const char open = scanner_.Peek();
    if (!Skip('{') && !Skip('<')) return false;
    std::string wire;
    if (!Message(field.type, open == '{' ? '}' : '>', depth + 1, &wire)) {
      return false;
    }
    WireFormatLite::WriteBytes(field.number, wire, out);
    return true;
  }

  bool Scalar(const Field& field, CodedOutputStream* out) {
    switch (field.type) {
      case Type::kBool: {
        bool value = false;
        if (!ProtoParseBoolFromScanner(&scanner_, &value)) return false;
        WireFormatLite::WriteBool(field.number, value, out);
        return true;
      }
      case Type::kDataType: {
        int value = 0;
        if (!EnumValue(&value)) return false;
        WireFormatLite::WriteEnum(field.number, value, out);
        return true;
      }
      case Type::kDouble:
        return Number<double>(field, WireFormatLite::WriteDouble, out);
      case Type::kFloat:
        return Number<float>(field, WireFormatLite::WriteFloat, out);
      case Type::kInt32:
        return Number<int32_t>(field, WireFormatLite::WriteInt32, out);
      case Type::kInt64:
        return Number<int64_t>(field, WireFormatLite::WriteInt64, out);
      case Type::kUint32:
        return Number<uint32_t>(field, WireFormatLite::WriteUInt32, out);
      case Type::kUint64:
        return Number<uint64_t>(field, WireFormatLite::WriteUInt64, out);
      case Type::kString: {
        std::string value;
        if (!ProtoParseStringLiteralFromScanner(&scanner_, &value)) {
          return false;
        }
        WireFormatLite::WriteBytes(field.number, value, out);
        return true;
      }
      default:
        return false;
    }
  }

  template <typename T>
  bool Number(const Field& field, void (*write)(int, T, CodedOutputStream*),
              CodedOutputStream* out) {
    T value = 0;
    if (!ProtoParseNumericFromScanner(&scanner_, &value)) return false;
    write(field.number, value, out);
    return true;
  }

  // A data type by its name or number.
  bool EnumValue(int* value) {
    StringPiece text;
    if (!scanner_.RestartCapture()
             .Many(Scanner::LETTER_DIGIT_DASH_UNDERSCORE)
             .GetResult(nullptr, &text)) {
      return false;
    }
    DataType type;
    if (DataType_Parse(std::string(text), &type)) {
      *value = type;
      return true;
    }
    return strings::SafeStringToNumeric(text, value);
  }

  // Skips a character, if it is the next one, with the space after it.
  bool Skip(char c) {
    if (scanner_.Peek() != c) return false;
    scanner_.One(Scanner::ALL);
    ProtoSpaceAndComments(&scanner_);
    return true;
  }

  Scanner scanner_;
};

}  // namespace

bool ProtoParseFromString(const std::string& text, AttrValue* value) {
  std::string wire;
  return Parser(text).AttrValueOnly(&wire) && value->ParseFromString(wire);
}

}  // namespace tensorflow
