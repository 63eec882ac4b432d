// The functions of Android's log that TensorFlow and TensorFlow Lite call.
#ifndef TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_ANDROID_LOG_H_
#define TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_ANDROID_LOG_H_

#include <stdarg.h>

enum {
  ANDROID_LOG_VERBOSE = 2,
  ANDROID_LOG_DEBUG,
  ANDROID_LOG_INFO,
  ANDROID_LOG_WARN,
  ANDROID_LOG_ERROR,
  ANDROID_LOG_FATAL,
  ANDROID_LOG_SILENT
};

#ifdef __cplusplus
extern "C" {
#endif

int __android_log_write(int priority, const char* tag, const char* text);
int __android_log_print(int priority, const char* tag, const char* format, ...);
int __android_log_vprint(int priority, const char* tag, const char* format,
                         va_list arguments);

#ifdef __cplusplus
}
#endif

#endif  // TFCARVE_TESTS_TOOLCHAINS_INCLUDE_ANDROID_ANDROID_LOG_H_
