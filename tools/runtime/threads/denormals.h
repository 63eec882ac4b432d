// Denormal numbers, with which some CPUs compute a hundred times more slowly.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_DENORMALS_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_DENORMALS_H_

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tfcarve {

// While an object exists, operations of its thread treat denormal numbers as 0,
// and return 0 in place of them. TensorFlow's threads use another class for
// this (tsl/platform/denormal.h), which has no effect on Android's x86.
class FlushDenormals {
 public:
  FlushDenormals() { SetState(state_ | kFlush); }
  ~FlushDenormals() { SetState(state_); }

  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE2__)
  using State = uint32_t;
  static constexpr State kFlush = 0x8040;  // FTZ and DAZ
  static State GetState() { return _mm_getcsr(); }
  static void SetState(State state) { _mm_setcsr(state); }
#elif defined(__aarch64__)
  using State = uint64_t;
  static constexpr State kFlush = 1 << 24;  // FZ
  static State GetState() {
    State state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
  }
  static void SetState(State state) {
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
  }
#elif defined(__arm__) && defined(__ARM_FP)
  using State = uint32_t;
  static constexpr State kFlush = 1 << 24;  // FZ
  static State GetState() {
    State state;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(state));
    return state;
  }
  static void SetState(State state) {
    __asm__ volatile("vmsr fpscr, %0" : : "r"(state));
  }
#endif

  const State state_ = GetState();
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_DENORMALS_H_
