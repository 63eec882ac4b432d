// RE2's release of 2022-06-01 takes text as its own StringPiece, to which
// neither TensorFlow's strings nor Abseil's views convert implicitly.
// TensorFlow's build uses a branch of RE2 that takes Abseil's views.

#ifndef TENSORFLOW_CORE_KERNELS_RE2_OF_STRINGS_H_
#define TENSORFLOW_CORE_KERNELS_RE2_OF_STRINGS_H_

#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace tensorflow {

// Hides ::re2::RE2 for sources in this namespace.
class RE2 : public ::re2::RE2 {
 public:
  using ::re2::RE2::RE2;

  static bool FullMatch(absl::string_view text, const ::re2::RE2& pattern) {
    return ::re2::RE2::FullMatch(Piece(text), pattern);
  }
  static bool PartialMatch(absl::string_view text, absl::string_view pattern) {
    return ::re2::RE2::PartialMatch(Piece(text), Piece(pattern));
  }

 private:
  static ::re2::StringPiece Piece(absl::string_view text) {
    return ::re2::StringPiece(text.data(), text.size());
  }
};

}  // namespace tensorflow

#endif  // TENSORFLOW_CORE_KERNELS_RE2_OF_STRINGS_H_
