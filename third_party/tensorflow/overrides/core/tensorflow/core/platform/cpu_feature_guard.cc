// Replaces TensorFlow's source of the same path: sessions do not log that
// TensorFlow should be rebuilt for instructions of this CPU, because tfcarve's
// loops choose their instructions when they run. A library that was compiled
// for newer CPUs still ends the program with a message: before any other code
// of the library runs, which may have such instructions. TensorFlow's check
// runs between other initializers.
//
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A,
// CPUID; volume 1, section 13.3 (XCR0).

#include "tensorflow/core/platform/cpu_feature_guard.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

#include <cstdio>
#include <cstdlib>

namespace {

enum Output { kEax, kEbx, kEcx, kEdx };

// Instructions that the compiler may use: the bit of cpuid that says that the
// CPU has them, and the bits of XCR0 that say that the operating system saves
// their registers.
struct Required {
  const char* name;
  unsigned leaf, subleaf;
  Output output;
  unsigned bit, saved;
};

enum : unsigned { kYmm = 0x6, kZmm = 0xe6 };

constexpr Required kRequired[] = {
    {"SSE2", 1, 0, kEdx, 26, 0},
#ifdef __SSE3__
    {"SSE3", 1, 0, kEcx, 0, 0},
#endif
#ifdef __SSSE3__
    {"SSSE3", 1, 0, kEcx, 9, 0},
#endif
#ifdef __SSE4_1__
    {"SSE4.1", 1, 0, kEcx, 19, 0},
#endif
#ifdef __SSE4_2__
    {"SSE4.2", 1, 0, kEcx, 20, 0},
#endif
#ifdef __AVX__
    {"AVX", 1, 0, kEcx, 28, kYmm},
#endif
#ifdef __FMA__
    {"FMA", 1, 0, kEcx, 12, kYmm},
#endif
#ifdef __AVX2__
    {"AVX2", 7, 0, kEbx, 5, kYmm},
#endif
#ifdef __AVX512F__
    {"AVX512F", 7, 0, kEbx, 16, kZmm},
#endif
#ifdef __AVX512VNNI__
    {"AVX512_VNNI", 7, 0, kEcx, 11, kZmm},
#endif
#ifdef __AVX512BF16__
    {"AVX512_BF16", 7, 1, kEax, 5, kZmm},
#endif
#ifdef __AVXVNNI__
    {"AVX_VNNI", 7, 1, kEax, 4, kYmm},
#endif
};

#ifdef __APPLE__  // Mach-O has no priorities.
#define TFCARVE_FIRST constructor
#else
#define TFCARVE_FIRST constructor(101)
#endif
#ifdef __x86_64__  // The function itself runs on every CPU.
#define TFCARVE_ANY_CPU target("arch=x86-64")
#else
#define TFCARVE_ANY_CPU
#endif

__attribute__((TFCARVE_FIRST, TFCARVE_ANY_CPU)) void RequireInstructions() {
  constexpr unsigned kOsxsave = 1 << 27;
  unsigned found[4], highest, saved = 0, high;
  __cpuid(0, highest, found[kEbx], found[kEcx], found[kEdx]);
  __cpuid(1, found[kEax], found[kEbx], found[kEcx], found[kEdx]);
  if (found[kEcx] & kOsxsave) {
    asm volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  }
  for (const Required& required : kRequired) {
    found[required.output] = 0;
    if (required.leaf <= highest) {
      __cpuid_count(required.leaf, required.subleaf, found[kEax], found[kEbx],
                    found[kEcx], found[kEdx]);
    }
    if ((found[required.output] >> required.bit & 1) != 0 &&
        (saved & required.saved) == required.saved) {
      continue;
    }
    std::fprintf(stderr,
                 "The TensorFlow library was compiled for CPUs with %s, which "
                 "this CPU does not have.\n",
                 required.name);
#ifndef __ANDROID__  // Its emulators do not report all instructions.
    std::abort();
#endif
  }
}

}  // namespace

#endif  // x86

namespace tensorflow {
namespace port {

void InfoAboutUnusedCPUFeatures() {}

}  // namespace port
}  // namespace tensorflow
