// The part of ICU's interface that TensorFlow's unicode_ops.cc uses, for the
// encodings of decoder.h. ICU itself needs 30 MB of data for all encodings.
//
// Source: the reference of ICU4C 69. The names are ICU's. Everything has
// internal linkage or is in a namespace of tfcarve, so that a program may also
// link ICU.

#ifndef TFCARVE_TOOLS_RUNTIME_UNICODE_ICU_SUBSET_H_
#define TFCARVE_TOOLS_RUNTIME_UNICODE_ICU_SUBSET_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/runtime/unicode/decoder.h"

namespace tfcarve::unicode {

using UChar32 = int32_t;

enum UErrorCode { U_FILE_ACCESS_ERROR = 4, U_ZERO_ERROR = 0 };
enum UConverterCallbackReason { UCNV_UNASSIGNED, UCNV_ILLEGAL, UCNV_IRREGULAR };

struct UConverterToUnicodeArgs {};

using UConverterToUCallback = void (*)(const void* context,
                                       UConverterToUnicodeArgs* arguments,
                                       const char* units, int32_t size,
                                       UConverterCallbackReason reason,
                                       UErrorCode* error);

struct UConverter {
  Encoding encoding;
  UConverterToUCallback on_error = nullptr;
  const void* context = nullptr;
};

inline bool U_FAILURE(UErrorCode code) { return code > U_ZERO_ERROR; }

// Invalid input is always substituted: see ucnv_getNextUChar.
inline void UCNV_TO_U_CALLBACK_SUBSTITUTE(const void*, UConverterToUnicodeArgs*,
                                          const char*, int32_t,
                                          UConverterCallbackReason,
                                          UErrorCode*) {}

// Returns a converter from an encoding, or nullptr with an error.
inline UConverter* ucnv_open(const char* name, UErrorCode* error) {
  const Encoding encoding = EncodingOf(name);
  if (encoding != Encoding::kUnknown) return new UConverter{encoding};
  *error = U_FILE_ACCESS_ERROR;
  return nullptr;
}

inline void ucnv_close(UConverter* converter) { delete converter; }

// These encodings have no state.
inline void ucnv_reset(UConverter*) {}

inline void ucnv_setToUCallBack(UConverter* converter,
                                UConverterToUCallback called,
                                const void* context,
                                UConverterToUCallback* old_called,
                                const void** old_context, UErrorCode*) {
  if (old_called != nullptr) *old_called = converter->on_error;
  if (old_context != nullptr) *old_context = converter->context;
  converter->on_error = called;
  converter->context = context;
}

// Returns the next code point of a text that is not empty, and moves `source`
// after it. For invalid input, it calls the callback and returns U+FFFD.
inline UChar32 ucnv_getNextUChar(UConverter* converter, const char** source,
                                 const char* limit, UErrorCode* error) {
  const char* start = *source;
  const Decoded found =
      Decode(converter->encoding, reinterpret_cast<const uint8_t*>(start),
             static_cast<size_t>(limit - start));
  *source = start + found.size;
  if (found.is_valid) return found.code_point;
  if (converter->on_error != nullptr) {
    UConverterToUnicodeArgs arguments;
    converter->on_error(converter->context, &arguments, start,
                        static_cast<int32_t>(found.size), UCNV_ILLEGAL, error);
  }
  return 0xfffd;
}

// A string of UTF-16, which may contain surrogates that are not in pairs.
class UnicodeString {
 public:
  UnicodeString& append(UChar32 code) {
    if (0 <= code && code <= 0xffff) {
      units_ += static_cast<char16_t>(code);
    } else if (0 <= code && code <= 0x10ffff) {
      units_ += static_cast<char16_t>(0xd7c0 + (code >> 10));
      units_ += static_cast<char16_t>(0xdc00 | (code & 0x3ff));
    }
    return *this;
  }

  int32_t length() const { return static_cast<int32_t>(units_.size()); }
  const char16_t* getBuffer() const { return units_.data(); }

  // Returns the code point at a position, and moves the position after it.
  UChar32 Next(size_t* at) const {
    const char16_t first = units_[(*at)++];
    if (!IsLead(first) || *at == units_.size() || !IsTrail(units_[*at])) {
      return first;
    }
    return Joined(first, units_[(*at)++]);
  }

  int32_t countChar32() const {
    int32_t count = 0;
    for (size_t at = 0; at < units_.size(); ++count) Next(&at);
    return count;
  }

  template <typename String>
  String& toUTF8String(String& result) const {
    for (size_t at = 0; at < units_.size();) AppendUtf8(Next(&at), &result);
    return result;
  }

 private:
  std::u16string units_;
};

class UnicodeStringAppendable {
 public:
  explicit UnicodeStringAppendable(UnicodeString& string) : string_(string) {}
  void appendCodePoint(UChar32 code) { string_.append(code); }

 private:
  UnicodeString& string_;
};

class StringCharacterIterator {
 public:
  explicit StringCharacterIterator(const UnicodeString& string)
      : string_(string) {}
  bool hasNext() const { return at_ < static_cast<size_t>(string_.length()); }
  UChar32 next32PostInc() { return string_.Next(&at_); }

 private:
  const UnicodeString& string_;
  size_t at_ = 0;
};

constexpr UChar32 kMinCodePoint = 0;
constexpr UChar32 kMaxCodePoint = 0x10ffff;

// Returns whether a number is a code point for characters: no surrogate, and
// none that is reserved for internal use.
inline bool IsCharacter(UChar32 code) {
  if (code < kMinCodePoint || code > kMaxCodePoint || IsSurrogate(code)) {
    return false;
  }
  return (code & 0xfffe) != 0xfffe && (code < 0xfdd0 || code > 0xfdef);
}

}  // namespace tfcarve::unicode

#define UCHAR_MIN_VALUE tfcarve::unicode::kMinCodePoint
#define UCHAR_MAX_VALUE tfcarve::unicode::kMaxCodePoint
#define U_IS_UNICODE_CHAR(code) tfcarve::unicode::IsCharacter(code)

namespace icu = tfcarve::unicode;

// In ICU, everything but these classes is in the global namespace.
using namespace tfcarve::unicode;  // NOLINT(build/namespaces)

#endif  // TFCARVE_TOOLS_RUNTIME_UNICODE_ICU_SUBSET_H_
