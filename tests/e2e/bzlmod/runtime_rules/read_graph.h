// What the programs of this package share.

#ifndef RUNTIME_RULES_READ_GRAPH_H_
#define RUNTIME_RULES_READ_GRAPH_H_

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tensorflow/core/public/session.h"

// Ends the program with status 1 and a message if TensorFlow failed.
inline void Check(const tensorflow::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << std::endl;
  std::exit(1);
}

// Ends the program with status 2 if the file is no GraphDef.
inline tensorflow::GraphDef ReadGraph(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(bytes)) std::exit(2);
  return graph;
}

#endif  // RUNTIME_RULES_READ_GRAPH_H_
