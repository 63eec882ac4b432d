// Reads the fields of a serialized protocol buffer.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_WIRE_FIELDS_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_WIRE_FIELDS_H_

#include <cstdint>
#include <string_view>

namespace tfcarve {

// Wire types of protocol buffers.
enum : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint32_t number = 0;
  uint32_t type = 0;
  std::string_view whole;  // the field with its tag
  std::string_view value;  // the content of a field of type kBytes
};

// Reads a varint and removes it from the start of `bytes`. Returns false if it
// is malformed.
inline bool ReadVarint(std::string_view* bytes, uint64_t* value) {
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Returns the number in a field of type kVarint.
inline uint64_t NumberOf(const Field& field) {
  std::string_view bytes = field.whole;
  uint64_t tag = 0, number = 0;
  ReadVarint(&bytes, &tag);
  ReadVarint(&bytes, &number);
  return number;
}

// Iterates over the fields of a message.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  // Reads the next field. Returns false at the end of the message, or if it is
  // malformed: then damaged() is true.
  bool Next(Field* field) {
    if (rest_.empty() || damaged_) return false;
    const std::string_view from = rest_;
    uint64_t tag = 0;
    damaged_ = !ReadVarint(&rest_, &tag) || tag >> 3 == 0 || tag >> 32 != 0 ||
               !Skip(static_cast<uint32_t>(tag & 7), field);
    if (damaged_) {
      rest_ = from;
      return false;
    }
    field->number = static_cast<uint32_t>(tag >> 3);
    field->type = static_cast<uint32_t>(tag & 7);
    field->whole = from.substr(0, from.size() - rest_.size());
    return true;
  }

  bool damaged() const { return damaged_; }

  // The start of the next field.
  const char* at() const { return rest_.data(); }

 private:
  bool Skip(uint32_t type, Field* field) {
    uint64_t size = 0;
    switch (type) {
      case kVarint:
        return ReadVarint(&rest_, &size);
      case kFixed64:
        size = 8;
        break;
      case kFixed32:
        size = 4;
        break;
      case kBytes:
        if (!ReadVarint(&rest_, &size)) return false;
        break;
      default:  // groups: TensorFlow's messages have none
        return false;
    }
    if (size > rest_.size()) return false;
    field->value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool damaged_ = false;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_WIRE_FIELDS_H_
