// Creates, copies, changes and drops cords in two threads, so many that
// Abseil's own sources would sample some of them. Prints how many had a wrong
// text.

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "absl/strings/cord.h"

namespace {

constexpr int kCords = 200000;
constexpr size_t kSize = 200;

void Change(std::atomic<int>* wrong) {
  for (int i = 0; i < kCords; ++i) {
    const std::string text(kSize, static_cast<char>('a' + i % 26));
    absl::Cord cord(text);
    absl::Cord copy = cord;
    copy.Append("-");
    copy.Append(cord);
    copy.RemovePrefix(kSize / 2);
    cord = copy.Subcord(kSize / 4, kSize);
    copy.Clear();
    const std::string expected =
        (text + "-" + text).substr(3 * kSize / 4, kSize);
    if (cord != expected || std::string(cord) != expected) ++*wrong;
  }
}

}  // namespace

int main() {
  std::atomic<int> wrong{0};
  std::thread other(Change, &wrong);
  Change(&wrong);
  other.join();
  std::printf("%d\n", wrong.load());
  return 0;
}
