// Waiting without a system call.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_SPIN_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_SPIN_H_

namespace tfcarve {

// Yields the core to its other hardware thread for a moment.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__ARM_ARCH_7A__)
  __asm__ volatile("yield");
#endif
}

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_SPIN_H_
