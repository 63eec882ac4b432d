// Replaces protobuf's message.h in builds whose messages are all MessageLite.
// Declares the parts of the full runtime that TensorFlow's sources mention, so
// that they compile unchanged. No object of these classes ever exists, because
// no message derives from Message: code that uses them is dead.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_MESSAGE_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_MESSAGE_H_

#include <google/protobuf/generated_message_util.h>
#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace google {
namespace protobuf {

class Message;

struct EnumValueDescriptor {
  const std::string& full_name() const { std::abort(); }
};

struct FieldDescriptor {
  enum Type { TYPE_MESSAGE };
  enum CppType {
    CPPTYPE_INT32,
    CPPTYPE_INT64,
    CPPTYPE_UINT32,
    CPPTYPE_UINT64,
    CPPTYPE_DOUBLE,
    CPPTYPE_FLOAT,
    CPPTYPE_BOOL,
    CPPTYPE_ENUM,
  };
  Type type() const { std::abort(); }
  CppType cpp_type() const { std::abort(); }
  const std::string& name() const { std::abort(); }
  const std::string& full_name() const { std::abort(); }
};

struct Descriptor {
  int field_count() const { std::abort(); }
};

struct Reflection {
  void ListFields(const Message&, std::vector<const FieldDescriptor*>*) const {
    std::abort();
  }
  const Message& GetMessage(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  Message* MutableMessage(Message*, const FieldDescriptor*) const {
    std::abort();
  }
  int32_t GetInt32(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  int64_t GetInt64(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  uint32_t GetUInt32(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  uint64_t GetUInt64(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  double GetDouble(const Message&, const FieldDescriptor*) const {
    std::abort();
  }
  float GetFloat(const Message&, const FieldDescriptor*) const { std::abort(); }
  bool GetBool(const Message&, const FieldDescriptor*) const { std::abort(); }
  const EnumValueDescriptor* GetEnum(const Message&,
                                     const FieldDescriptor*) const {
    std::abort();
  }
};

class Message : public MessageLite {
 public:
  const Descriptor* GetDescriptor() const { std::abort(); }
  const Reflection* GetReflection() const { std::abort(); }
  void MergeFrom(const Message& from) { std::abort(); }
};

}  // namespace protobuf
}  // namespace google

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_MESSAGE_H_
