// In Android's C library the function takes a pointer to const.
#ifndef TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_MALLOC_H_
#define TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_MALLOC_H_

#include_next <malloc.h>

#ifdef __cplusplus
inline size_t malloc_usable_size(const void* address) {
  return malloc_usable_size(const_cast<void*>(address));
}
#endif

#endif  // TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_MALLOC_H_
