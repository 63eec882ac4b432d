// Replaces Abseil's cordz_functions.cc, cordz_handle.cc, cordz_info.cc and
// cordz_sample_token.cc, which sample cords for a profiler: no cord is sampled.
// Abseil's sources refer to its mutexes, stack traces and time zones, which a
// carved library does not need otherwise.

#include <cstdint>
#include <limits>

#include "absl/strings/internal/cordz_functions.h"
#include "absl/strings/internal/cordz_info.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
namespace cord_internal {

#ifdef ABSL_INTERNAL_CORDZ_ENABLED
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

ABSL_CONST_INIT thread_local int64_t cordz_next_sample = kNever;

bool cordz_should_profile_slow() {
  cordz_next_sample = kNever;
  return false;
}
#endif

// Cords call the other functions for a CordzInfo, and none has one.

void CordzInfo::TrackCord(InlineData& cord, MethodIdentifier method) {}

void CordzInfo::MaybeTrackCordImpl(InlineData& cord, const InlineData& src,
                                   MethodIdentifier method) {}

void CordzInfo::Untrack() {}

void CordzInfo::Lock(MethodIdentifier method) {}

void CordzInfo::Unlock() {}

}  // namespace cord_internal
ABSL_NAMESPACE_END
}  // namespace absl
