// Parses texts as values of attributes. Standard input has, for each text, the
// type of the attribute and the number of bytes of the text in a line, and the
// text. For each, standard output has the number of bytes of the AttrValue in a
// line, or -1 if the text is invalid, and the AttrValue.

#include <iostream>
#include <string>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/attr_value_util.h"

int main() {
  std::string type;
  size_t size;
  while (std::cin >> type >> size) {
    std::cin.ignore();
    std::string text(size, '\0');
    std::cin.read(&text[0], size);
    tensorflow::AttrValue value;
    if (tensorflow::ParseAttrValue(type, text, &value)) {
      const std::string bytes = value.SerializeAsString();
      std::cout << bytes.size() << '\n' << bytes;
    } else {
      std::cout << "-1\n";
    }
  }
  return 0;
}
