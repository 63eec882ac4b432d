// A node that TensorFlow's C++ interface adds to the graph of a scope.

#ifndef OP_NODE_H_
#define OP_NODE_H_

#include <string>
#include <utility>
#include <vector>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/attr_value_util.h"

namespace tensorflow::ops {

// The attributes of a node that do not have their default values.
class OpAttributes {
 public:
  template <typename T>
  OpAttributes& Set(const char* name, const T& value) {
    SetAttrValue(value, &values_.emplace_back(name, AttrValue()).second);
    return *this;
  }

  const std::vector<std::pair<std::string, AttrValue>>& values() const {
    return values_;
  }

 protected:
  // `attrs` with one more value.
  template <typename Attrs, typename T>
  static Attrs With(Attrs attrs, const char* name, const T& value) {
    attrs.Set(name, value);
    return attrs;
  }

 private:
  std::vector<std::pair<std::string, AttrValue>> values_;
};

class OpNode {
 public:
  // A failure is in the scope's status. The node then has no outputs.
  OpNode(const Scope& scope, const char* op, const std::vector<Input>& inputs,
         const OpAttributes& attributes = {});

  operator Output() const { return output(0); }
  operator Input() const { return output(0); }

 protected:
  Output output(int index) const;

 private:
  Node* node_ = nullptr;
};

}  // namespace tensorflow::ops

#endif  // OP_NODE_H_
