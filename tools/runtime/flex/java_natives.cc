// The native methods of TensorFlow Lite's Java class FlexDelegate.

#include <jni.h>

#include <cstddef>

struct TfLiteDelegate;

extern "C" {

// The interface of external delegates, in delegate.cc.
TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const* values, std::size_t count,
    void (*report_error)(const char*));
void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate);

JNIEXPORT jlong JNICALL
Java_org_tensorflow_lite_flex_FlexDelegate_nativeCreateDelegate(JNIEnv*,
                                                                jclass) {
  return reinterpret_cast<jlong>(
      tflite_plugin_create_delegate(nullptr, nullptr, 0, nullptr));
}

JNIEXPORT void JNICALL
Java_org_tensorflow_lite_flex_FlexDelegate_nativeDeleteDelegate(
    JNIEnv*, jclass, jlong delegate) {
  tflite_plugin_destroy_delegate(reinterpret_cast<TfLiteDelegate*>(delegate));
}

// For tests of TensorFlow, whose programs have flags.
JNIEXPORT jlong JNICALL
Java_org_tensorflow_lite_flex_FlexDelegate_nativeInitTensorFlow(JNIEnv*,
                                                                jclass) {
  return 0;
}

}  // extern "C"
