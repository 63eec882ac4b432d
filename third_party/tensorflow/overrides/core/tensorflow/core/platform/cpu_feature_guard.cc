// Replaces TensorFlow's source of the same path: it does not log that
// TensorFlow should be rebuilt for instructions of this CPU, because the
// kernels choose their instructions when the library is loaded. A library for a
// newer CPU still ends the program with a message.

#include "tensorflow/core/platform/cpu_feature_guard.h"

#include <cstdio>
#include <cstdlib>

#include "tensorflow/core/platform/cpu_info.h"

namespace tensorflow {
namespace port {
namespace {

#ifdef __SSE__

struct Required {
  CPUFeature feature;
  const char* name;
};

// The newest features of each x86-64 level that the compiler may use. Every
// x86-64 CPU has SSE2.
constexpr Required kRequired[] = {
    {CPUFeature::SSE2, "SSE2"},
#ifdef __SSE4_2__
    {CPUFeature::SSE4_2, "SSE4.2"},
#endif
#ifdef __AVX2__
    {CPUFeature::AVX2, "AVX2"},
#endif
#ifdef __FMA__
    {CPUFeature::FMA, "FMA"},
#endif
#ifdef __AVX512F__
    {CPUFeature::AVX512F, "AVX512F"},
#endif
};

// Runs when the library is loaded.
const bool checked = [] {
  for (const Required& required : kRequired) {
    if (TestCPUFeature(required.feature)) continue;
    std::fprintf(stderr,
                 "The TensorFlow library was compiled for CPUs with %s, which "
                 "this CPU does not have.\n",
                 required.name);
#ifndef __ANDROID__
    // Emulators of Android do not report all features that they have.
    std::abort();
#endif
  }
  return true;
}();

#endif  // __SSE__

}  // namespace

void InfoAboutUnusedCPUFeatures() {}

}  // namespace port
}  // namespace tensorflow
