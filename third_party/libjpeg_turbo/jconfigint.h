// What libjpeg-turbo's own sources see of its configuration, for GCC and clang.
// Source: jconfigint.h.in and CMakeLists.txt of libjpeg-turbo 2.1.5.

#ifndef TFCARVE_THIRD_PARTY_LIBJPEG_TURBO_JCONFIGINT_H_
#define TFCARVE_THIRD_PARTY_LIBJPEG_TURBO_JCONFIGINT_H_

#define BUILD "tfcarve"
#define PACKAGE_NAME "libjpeg-turbo"
#define VERSION "2.1.5"

#undef inline
#define INLINE __inline__
#define THREAD_LOCAL __thread
#define FALLTHROUGH __attribute__((fallthrough));

#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define HAVE_BUILTIN_CTZL

#endif  // TFCARVE_THIRD_PARTY_LIBJPEG_TURBO_JCONFIGINT_H_
