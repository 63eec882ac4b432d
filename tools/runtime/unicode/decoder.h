// Decodes text one code point after the other.
//
// Invalid input is divided as ICU divides it: for UTF-8, each "maximal subpart"
// is one error (The Unicode Standard, section 3.9, table 3-7).

#ifndef TFCARVE_TOOLS_RUNTIME_UNICODE_DECODER_H_
#define TFCARVE_TOOLS_RUNTIME_UNICODE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace tfcarve::unicode {

enum class Encoding {
  kUnknown,
  kUtf8,
  kUtf16Be,
  kUtf16Le,
  kUtf32Be,
  kUtf32Le,
  kAscii,
  kLatin1,
};

// A decoded code point, or an error.
struct Decoded {
  int32_t code_point;
  bool is_valid;
  // The number of bytes that were read, at least 1.
  size_t size;
};

// Returns the encoding of a name. Like ICU, it ignores case, '-', '_' and ' '.
inline Encoding EncodingOf(const std::string& name) {
  std::string plain;
  for (const char each : name) {
    if (each == '-' || each == '_' || each == ' ') continue;
    plain += 'A' <= each && each <= 'Z' ? static_cast<char>(each + 32) : each;
  }
  if (plain == "utf8") return Encoding::kUtf8;
  if (plain == "utf16be") return Encoding::kUtf16Be;
  if (plain == "utf16le") return Encoding::kUtf16Le;
  if (plain == "utf32be") return Encoding::kUtf32Be;
  if (plain == "utf32le") return Encoding::kUtf32Le;
  if (plain == "ascii" || plain == "usascii") return Encoding::kAscii;
  if (plain == "latin1" || plain == "iso88591") return Encoding::kLatin1;
  return Encoding::kUnknown;
}

inline bool IsSurrogate(uint32_t code) { return (code >> 11) == 0x1b; }
inline bool IsLead(uint32_t code) { return (code >> 10) == 0x36; }
inline bool IsTrail(uint32_t code) { return (code >> 10) == 0x37; }

inline int32_t Joined(uint32_t lead, uint32_t trail) {
  return static_cast<int32_t>(0x10000 + ((lead & 0x3ff) << 10) +
                              (trail & 0x3ff));
}

// `size` is at least 1 in the functions below.
inline Decoded DecodeUtf8(const uint8_t* text, size_t size) {
  const uint8_t first = text[0];
  if (first < 0x80) return {first, true, 1};
  if (first < 0xc2 || first > 0xf4) return {0, false, 1};
  const size_t following = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  // The second byte has limits that exclude longer forms than necessary,
  // surrogates and numbers above 0x10ffff.
  uint8_t low = 0x80, high = 0xbf;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  int32_t code = first & (0x3f >> following);
  for (size_t i = 1; i <= following; ++i) {
    if (i == size || text[i] < low || text[i] > high) return {0, false, i};
    code = (code << 6) | (text[i] & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return {code, true, following + 1};
}

// Input that ends within a code point is one error.
template <bool kIsBigEndian>
Decoded DecodeUtf16(const uint8_t* text, size_t size) {
  const auto unit = [text](size_t at) -> uint32_t {
    return kIsBigEndian ? text[at] << 8 | text[at + 1]
                        : text[at + 1] << 8 | text[at];
  };
  if (size < 2) return {0, false, size};
  const uint32_t first = unit(0);
  if (!IsSurrogate(first)) return {static_cast<int32_t>(first), true, 2};
  if (IsTrail(first)) return {0, false, 2};
  if (size < 4) return {0, false, size};
  const uint32_t second = unit(2);
  if (!IsTrail(second)) return {0, false, 2};
  return {Joined(first, second), true, 4};
}

template <bool kIsBigEndian>
Decoded DecodeUtf32(const uint8_t* text, size_t size) {
  if (size < 4) return {0, false, size};
  uint32_t code = 0;
  for (size_t i = 0; i < 4; ++i) {
    code = code << 8 | text[kIsBigEndian ? i : 3 - i];
  }
  if (code > 0x10ffff || IsSurrogate(code)) return {0, false, 4};
  return {static_cast<int32_t>(code), true, 4};
}

// Decodes the first code point of a text that is not empty.
inline Decoded Decode(Encoding encoding, const uint8_t* text, size_t size) {
  switch (encoding) {
    case Encoding::kUtf8:
      return DecodeUtf8(text, size);
    case Encoding::kUtf16Be:
      return DecodeUtf16<true>(text, size);
    case Encoding::kUtf16Le:
      return DecodeUtf16<false>(text, size);
    case Encoding::kUtf32Be:
      return DecodeUtf32<true>(text, size);
    case Encoding::kUtf32Le:
      return DecodeUtf32<false>(text, size);
    case Encoding::kAscii:
      return {text[0], text[0] < 0x80, 1};
    case Encoding::kLatin1:
      return {text[0], true, 1};
    case Encoding::kUnknown:
      break;
  }
  return {0, false, size};
}

// Appends a code point to a string of UTF-8. Surrogates become U+FFFD.
template <typename String>
void AppendUtf8(int32_t code, String* text) {
  if (IsSurrogate(code)) code = 0xfffd;
  char bytes[4];
  int size = 0;
  if (code < 0x80) {
    bytes[size++] = static_cast<char>(code);
  } else {
    const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const int marks[] = {0, 0xc0, 0xe0, 0xf0};
    bytes[size++] = static_cast<char>(marks[following] | code >> 6 * following);
    for (int left = following - 1; left >= 0; --left) {
      bytes[size++] = static_cast<char>(0x80 | ((code >> 6 * left) & 0x3f));
    }
  }
  text->append(bytes, size);
}

}  // namespace tfcarve::unicode

#endif  // TFCARVE_TOOLS_RUNTIME_UNICODE_DECODER_H_
