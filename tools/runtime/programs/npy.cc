#include "tools/runtime/programs/npy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace tfcarve {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 254;  // TensorFlow's own limit

struct Type {
  std::string_view name;  // NumPy's "descr"
  int32_t dtype;
  size_t size;
};

constexpr Type kTypes[] = {
    {"<f4", TFCARVE_FLOAT, 4},     {"<f8", TFCARVE_DOUBLE, 8},
    {"<f2", TFCARVE_HALF, 2},      {"|b1", TFCARVE_BOOL, 1},
    {"|i1", TFCARVE_INT8, 1},      {"<i2", TFCARVE_INT16, 2},
    {"<i4", TFCARVE_INT32, 4},     {"<i8", TFCARVE_INT64, 8},
    {"|u1", TFCARVE_UINT8, 1},     {"<u2", TFCARVE_UINT16, 2},
    {"<u4", TFCARVE_UINT32, 4},    {"<u8", TFCARVE_UINT64, 8},
    {"<c8", TFCARVE_COMPLEX64, 8}, {"<c16", TFCARVE_COMPLEX128, 16},
};

// Parses the header's text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Consumes spaces and `token` if it is next.
  bool Take(std::string_view token) {
    SkipSpaces();
    if (text_.substr(0, token.size()) != token) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  // Consumes 'text' or "text", without escapes.
  bool TakeString(std::string_view* value) {
    SkipSpaces();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return false;
    *value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  bool TakeNumber(int64_t* value) {
    SkipSpaces();
    size_t digits = 0;
    *value = 0;
    for (; digits < text_.size() && IsDigit(text_[digits]); ++digits) {
      if (*value > (std::numeric_limits<int64_t>::max() - 9) / 10) return false;
      *value = *value * 10 + (text_[digits] - '0');
    }
    text_.remove_prefix(digits);
    return digits > 0;
  }

  bool AtEnd() {
    SkipSpaces();
    return text_.empty();
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  void SkipSpaces() {
    const size_t start = text_.find_first_not_of(" \n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  std::string_view text_;
};

bool TakeShape(Scanner* scanner, std::vector<int64_t>* dims) {
  if (!scanner->Take("(")) return false;
  while (!scanner->Take(")")) {
    int64_t dim;
    if (dims->size() == kMaxRank || !scanner->TakeNumber(&dim)) return false;
    dims->push_back(dim);
    if (!scanner->Take(",")) return scanner->Take(")");
  }
  return true;
}

struct Header {
  std::string_view type;
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }, with the
// keys in any order.
bool ParseHeader(std::string_view text, Header* header) {
  Scanner scanner(text);
  bool has_type = false, has_order = false, has_shape = false;
  if (!scanner.Take("{")) return false;
  while (!scanner.Take("}")) {
    std::string_view key;
    if (!scanner.TakeString(&key) || !scanner.Take(":")) return false;
    if (key == "descr" && !has_type) {
      has_type = scanner.TakeString(&header->type);
      if (!has_type) return false;
    } else if (key == "fortran_order" && !has_order) {
      has_order = true;
      header->fortran_order = scanner.Take("True");
      if (!header->fortran_order && !scanner.Take("False")) return false;
    } else if (key == "shape" && !has_shape) {
      has_shape = TakeShape(&scanner, &header->dims);
      if (!has_shape) return false;
    } else {
      return false;
    }
    if (!scanner.Take(",") && !scanner.Take("}")) return false;
    if (scanner.AtEnd()) break;
  }
  return has_type && has_order && has_shape && scanner.AtEnd();
}

// Splits a file into the header's text and the elements.
bool Split(std::string_view bytes, std::string_view* header,
           std::string_view* data) {
  if (bytes.substr(0, kMagic.size()) != kMagic) return false;
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 2) return false;
  const size_t width = bytes[0] == 1 ? 2 : bytes[0] == 2 ? 4 : 0;
  bytes.remove_prefix(2);
  if (width == 0 || bytes.size() < width) return false;
  size_t length = 0;
  for (size_t i = 0; i < width; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[i]))
              << (8 * i);
  }
  bytes.remove_prefix(width);
  if (bytes.size() < length) return false;
  *header = bytes.substr(0, length);
  *data = bytes.substr(length);
  return true;
}

// Computes the size of an array with elements of `element` bytes. Returns false
// if it overflows.
bool ByteSize(size_t element, const std::vector<int64_t>& dims, size_t* size) {
  *size = element;
  for (const int64_t dim : dims) {
    const auto count = static_cast<uint64_t>(dim);
    if (count != 0 && *size > std::numeric_limits<size_t>::max() / count) {
      return false;
    }
    *size *= static_cast<size_t>(count);
  }
  return true;
}

bool CheckSize(size_t element, const std::vector<int64_t>& dims,
               std::string_view data, std::string* error) {
  size_t size;
  if (ByteSize(element, dims, &size) && size == data.size()) return true;
  *error = "the array's shape does not fit the " + std::to_string(data.size()) +
           " bytes of elements";
  return false;
}

// A type of strings: "|S5" has 5 bytes in each, "<U5" 5 code points of 4 bytes.
struct StringType {
  bool is_unicode;
  size_t width;  // of a string, in bytes
};

bool ParseStringType(std::string_view name, StringType* type) {
  type->is_unicode = name.substr(0, 2) == "<U";
  if (!type->is_unicode && name.substr(0, 2) != "|S") return false;
  int64_t count;
  Scanner scanner(name.substr(2));
  if (name.size() > 11 || !scanner.TakeNumber(&count) || !scanner.AtEnd()) {
    return false;
  }
  type->width = static_cast<size_t>(count) * (type->is_unicode ? 4 : 1);
  return count > 0;
}

// Appends a code point as UTF-8. Returns false if there is no such code point.
bool AppendUtf8(uint32_t code, std::vector<char>* text) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  text->push_back(static_cast<char>(kFirst[more] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    text->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
  return true;
}

// Appends a string of the file, without the zeros at its end.
bool AppendString(std::string_view bytes, bool is_unicode,
                  std::vector<char>* text) {
  bytes = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
  if (!is_unicode) {
    text->insert(text->end(), bytes.begin(), bytes.end());
    return true;
  }
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t code = 0;
    std::memcpy(&code, bytes.data() + i,
                std::min(sizeof(code), bytes.size() - i));
    if (!AppendUtf8(code, text)) return false;
  }
  return true;
}

bool ReadStrings(std::string_view data, const StringType& type,
                 NpyArray* array) {
  std::vector<size_t> ends;
  for (size_t i = 0; i < data.size(); i += type.width) {
    if (!AppendString(data.substr(i, type.width), type.is_unicode,
                      &array->text)) {
      return false;
    }
    ends.push_back(array->text.size());
  }
  size_t start = 0;
  for (const size_t end : ends) {
    array->strings.push_back({array->text.data() + start, end - start});
    start = end;
  }
  return true;
}

std::string HeaderOf(std::string_view type, const std::vector<int64_t>& dims) {
  std::string text = "{'descr': '" + std::string(type) +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  }
  text += dims.size() == 1 ? ",), }" : "), }";
  // Magic, version, length and text together are a multiple of 64 bytes.
  const size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// A larger file of strings is an error.
constexpr size_t kMaxStrings = std::numeric_limits<int32_t>::max();

}  // namespace

bool ParseNpy(std::string_view bytes, NpyArray* array, std::string* error) {
  std::string_view text, data;
  Header header;
  if (!Split(bytes, &text, &data)) {
    *error = "not a .npy file of version 1 or 2, or cut short";
    return false;
  }
  if (!ParseHeader(text, &header)) {
    *error = "the .npy header can't be read";
    return false;
  }
  if (header.fortran_order) {
    *error =
        "the array is in Fortran order: save it with numpy.ascontiguousarray";
    return false;
  }
  for (const Type& type : kTypes) {
    if (type.name != header.type) continue;
    if (!CheckSize(type.size, header.dims, data, error)) return false;
    array->dtype = type.dtype;
    array->dims = std::move(header.dims);
    array->data.assign(data.data(), data.size());
    return true;
  }
  StringType strings;
  if (ParseStringType(header.type, &strings)) {
    if (!CheckSize(strings.width, header.dims, data, error)) return false;
    array->dtype = TFCARVE_STRING;
    array->dims = std::move(header.dims);
    if (ReadStrings(data, strings, array)) return true;
    *error = "a string has an invalid code point";
    return false;
  }
  *error = "elements of type '" + std::string(header.type.substr(0, 16)) +
           "' are not supported; these are:";
  for (const Type& type : kTypes) {
    error->append(" ").append(type.name);
  }
  error->append(" |S <U");
  if (header.type == "|O") {
    error->append("; save an array of strings with .astype('S')");
  }
  return false;
}

std::string NpyHeader(int32_t dtype, const std::vector<int64_t>& dims) {
  for (const Type& type : kTypes) {
    if (type.dtype == dtype) return HeaderOf(type.name, dims);
  }
  return "";
}

bool StringsToNpy(const tfcarve_string* strings, size_t count,
                  const std::vector<int64_t>& dims, std::string* file,
                  std::string* error) {
  size_t width = 1;
  for (size_t i = 0; i < count; ++i) {
    const tfcarve_string& string = strings[i];
    if (string.size > 0 && string.data[string.size - 1] == '\0') {
      *error = "string " + std::to_string(i) +
               " ends with a zero byte, which .npy files do not store";
      return false;
    }
    width = std::max(width, string.size);
  }
  size_t size;
  if (!ByteSize(width, dims, &size) || size > kMaxStrings) {
    *error = "the strings, padded to " + std::to_string(width) +
             " bytes each, are larger than 2 GB";
    return false;
  }
  *file = HeaderOf("|S" + std::to_string(width), dims);
  for (size_t i = 0; i < count; ++i) {
    file->append(strings[i].data, strings[i].size);
    file->append(width - strings[i].size, '\0');
  }
  return true;
}

}  // namespace tfcarve
