// Android's C library declares this type; musl declares it only with a macro.
#ifndef TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_SYS_MMAN_H_
#define TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_SYS_MMAN_H_

#include_next <sys/mman.h>

typedef off_t off64_t;

#endif  // TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_SYS_MMAN_H_
