#include "tools/runtime/npy.h"

#include <cstddef>
#include <limits>

#include "tools/runtime/tfcarve_c_api.h"

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

// Computes the size of an array in bytes. Returns false if it overflows.
bool ByteSize(const Type& type, const std::vector<int64_t>& dims,
              size_t* size) {
  *size = type.size;
  for (const int64_t dim : dims) {
    const auto count = static_cast<uint64_t>(dim);
    if (count != 0 && *size > std::numeric_limits<size_t>::max() / count) {
      return false;
    }
    *size *= static_cast<size_t>(count);
  }
  return true;
}

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
    size_t size;
    if (!ByteSize(type, header.dims, &size) || size != data.size()) {
      *error = "the array's shape does not fit the " +
               std::to_string(data.size()) + " bytes of elements";
      return false;
    }
    array->dtype = type.dtype;
    array->dims = std::move(header.dims);
    array->data.assign(data.data(), data.size());
    return true;
  }
  *error = "elements of type '" + std::string(header.type.substr(0, 16)) +
           "' are not supported; these are:";
  for (const Type& type : kTypes) {
    error->append(" ").append(type.name);
  }
  return false;
}

std::string NpyHeader(int32_t dtype, const std::vector<int64_t>& dims) {
  for (const Type& type : kTypes) {
    if (type.dtype != dtype) continue;
    std::string text = "{'descr': '" + std::string(type.name) +
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
  return "";
}

}  // namespace tfcarve
