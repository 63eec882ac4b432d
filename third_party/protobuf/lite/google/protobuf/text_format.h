// Replaces protobuf's text_format.h: see message.h.

#ifndef TFCARVE_THIRD_PARTY_PROTOBUF_LITE_TEXT_FORMAT_H_
#define TFCARVE_THIRD_PARTY_PROTOBUF_LITE_TEXT_FORMAT_H_

#include <google/protobuf/message.h>

#include <cstdlib>
#include <string>

namespace google {
namespace protobuf {
namespace io {
class ZeroCopyInputStream;
}  // namespace io

struct TextFormat {
  static bool PrintToString(const Message&, std::string*) { std::abort(); }
  static bool Parse(io::ZeroCopyInputStream*, Message*) { std::abort(); }
  static bool ParseFromString(const std::string&, Message*) { std::abort(); }
};

}  // namespace protobuf
}  // namespace google

#endif  // TFCARVE_THIRD_PARTY_PROTOBUF_LITE_TEXT_FORMAT_H_
