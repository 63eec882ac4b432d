// Reads TensorFlow's memmapped format
// (tensorflow/core/util/memmapped_file_system.h): the constants of a graph, the
// graph, in which ImmutableConst nodes name them, and a directory.
//
// Linked only into libraries with a model in this format.

#ifndef TFCARVE_TOOLS_RUNTIME_MODELS_MEMMAPPED_PACKAGE_H_
#define TFCARVE_TOOLS_RUNTIME_MODELS_MEMMAPPED_PACKAGE_H_

#include <string>
#include <string_view>

namespace tfcarve {

struct GraphModel;

// Like ReadGraphModel, for a file that may be in TensorFlow's memmapped format:
// ImmutableConst nodes become Const nodes, with their regions as contents.
using PackageReader = bool(std::string_view bytes, GraphModel* model,
                           std::string* error);

PackageReader ReadPackage;

// ReadPackage, or null if the library does not contain it. Defined by the unit
// with the library's manifest.
extern PackageReader* const package_reader;

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_MODELS_MEMMAPPED_PACKAGE_H_
