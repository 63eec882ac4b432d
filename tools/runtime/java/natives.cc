// The native methods of the Java class org.tfcarve.Natives.

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tools/runtime/include/tfcarve_c_api.h"

namespace {

template <typename T>
T* Object(jlong address) {
  return reinterpret_cast<T*>(static_cast<intptr_t>(address));
}

jlong Address(const void* object) {
  return static_cast<jlong>(reinterpret_cast<intptr_t>(object));
}

std::string Text(JNIEnv* env, jbyteArray bytes) {
  std::string text(env->GetArrayLength(bytes), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()),
                          reinterpret_cast<jbyte*>(text.data()));
  return text;
}

// Returns NULL, with a pending exception, if there is no memory left.
jbyteArray Bytes(JNIEnv* env, const char* data, size_t size) {
  jbyteArray bytes = env->NewByteArray(static_cast<jsize>(size));
  if (bytes != nullptr) {
    env->SetByteArrayRegion(bytes, 0, static_cast<jsize>(size),
                            reinterpret_cast<const jbyte*>(data));
  }
  return bytes;
}

jbyteArray Bytes(JNIEnv* env, const char* text) {
  if (text == nullptr) text = "";
  return Bytes(env, text, std::strlen(text));
}

// Returns NULL for an unknown rank, or with a pending exception.
jlongArray Shape(JNIEnv* env, int32_t rank, const int64_t* dims) {
  if (rank < 0) return nullptr;
  jlongArray shape = env->NewLongArray(rank);
  if (shape == nullptr) return nullptr;
  const std::vector<jlong> sizes(dims, dims + rank);
  env->SetLongArrayRegion(shape, 0, rank, sizes.data());
  return shape;
}

void Throw(JNIEnv* env, jclass natives, int32_t status, const char* message,
           const char* node) {
  const jmethodID fail = env->GetStaticMethodID(natives, "fail", "([B[B[B)V");
  if (fail == nullptr) return;
  jbyteArray name = Bytes(env, tfcarve_status_name(status));
  if (name == nullptr) return;
  jbyteArray text = Bytes(env, message);
  if (text == nullptr) return;
  jbyteArray at = Bytes(env, node);
  if (at == nullptr) return;
  env->CallStaticVoidMethod(natives, fail, name, text, at);
}

// Returns the address of a session, or 0 with a pending exception.
jlong Opened(JNIEnv* env, jclass natives, tfcarve_session* session) {
  const char* error = tfcarve_session_error(session);
  if (error == nullptr) return Address(session);
  Throw(env, natives, tfcarve_session_status(session), error,
        tfcarve_session_error_node(session));
  tfcarve_session_free(session);
  return 0;
}

tfcarve_session_options Options(jint threads, jlong memory_limit) {
  tfcarve_session_options options = TFCARVE_SESSION_OPTIONS_INIT;
  options.threads = threads;
  options.memory_limit = static_cast<size_t>(memory_limit);
  return options;
}

// A Java array that holds a model.
struct Array {
  JNIEnv* env;
  jbyteArray bytes;
};

const char* ReadArray(void* context, size_t offset, void* buffer, size_t size) {
  const Array& array = *static_cast<Array*>(context);
  array.env->GetByteArrayRegion(array.bytes, static_cast<jsize>(offset),
                                static_cast<jsize>(size),
                                static_cast<jbyte*>(buffer));
  return nullptr;
}

// The texts of a Java array of byte[]; each local reference is freed at once,
// because there may be thousands.
std::vector<std::string> Texts(JNIEnv* env, jobjectArray array) {
  std::vector<std::string> texts;
  const jsize count = env->GetArrayLength(array);
  texts.reserve(count);
  for (jsize i = 0; i < count; ++i) {
    auto bytes = static_cast<jbyteArray>(env->GetObjectArrayElement(array, i));
    texts.push_back(Text(env, bytes));
    env->DeleteLocalRef(bytes);
  }
  return texts;
}

// An input of a run, with the memory that its view points to.
struct Input {
  std::vector<int64_t> dims;
  std::vector<std::string> texts;
  std::vector<tfcarve_string> strings;
};

// Sets `*view` to an input. `elements` must exist as long as the view.
void View(JNIEnv* env, const std::string& name, jint type, jlongArray shape,
          jobject elements, Input* input, tfcarve_tensor* view) {
  const jsize rank = env->GetArrayLength(shape);
  std::vector<jlong> sizes(rank);
  env->GetLongArrayRegion(shape, 0, rank, sizes.data());
  input->dims.assign(sizes.begin(), sizes.end());
  *view = {name.c_str(), type, rank, input->dims.data(), nullptr, 0};
  if (type != TFCARVE_STRING) {
    view->data = env->GetDirectBufferAddress(elements);
    view->size = static_cast<size_t>(env->GetDirectBufferCapacity(elements));
    return;
  }
  input->texts = Texts(env, static_cast<jobjectArray>(elements));
  for (const std::string& text : input->texts) {
    input->strings.push_back({text.data(), text.size()});
  }
  view->data = input->strings.data();
  view->size = input->strings.size() * sizeof(tfcarve_string);
}

// Returns the elements of an output as byte[][], or NULL with a pending
// exception.
jobject Strings(JNIEnv* env, const tfcarve_tensor& output) {
  jclass bytes_class = env->FindClass("[B");
  if (bytes_class == nullptr) return nullptr;
  const size_t count = output.size / sizeof(tfcarve_string);
  const auto* strings = static_cast<const tfcarve_string*>(output.data);
  jobjectArray array =
      env->NewObjectArray(static_cast<jsize>(count), bytes_class, nullptr);
  for (size_t i = 0; array != nullptr && i < count; ++i) {
    jbyteArray bytes = Bytes(env, strings[i].data, strings[i].size);
    if (bytes == nullptr) return nullptr;
    env->SetObjectArrayElement(array, static_cast<jsize>(i), bytes);
    env->DeleteLocalRef(bytes);
  }
  return array;
}

// Returns the elements of an output in a direct buffer, or NULL with a pending
// exception.
jobject Elements(JNIEnv* env, jclass natives, const tfcarve_tensor& output) {
  const jmethodID allocate =
      env->GetStaticMethodID(natives, "allocate", "(J)Ljava/nio/ByteBuffer;");
  if (allocate == nullptr) return nullptr;
  jobject buffer = env->CallStaticObjectMethod(natives, allocate,
                                               static_cast<jlong>(output.size));
  if (env->ExceptionCheck()) return nullptr;
  if (output.size > 0) {
    std::memcpy(env->GetDirectBufferAddress(buffer), output.data, output.size);
  }
  return buffer;
}

// Returns a TfTensor, or NULL with a pending exception.
jobject Tensor(JNIEnv* env, jclass natives, const tfcarve_tensor& output) {
  const jmethodID tensor = env->GetStaticMethodID(
      natives, "tensor", "(I[JLjava/lang/Object;)Lorg/tfcarve/TfTensor;");
  if (tensor == nullptr) return nullptr;
  jlongArray shape = Shape(env, output.rank, output.dims);
  if (env->ExceptionCheck()) return nullptr;
  jobject elements = output.dtype == TFCARVE_STRING
                         ? Strings(env, output)
                         : Elements(env, natives, output);
  if (elements == nullptr) return nullptr;
  return env->CallStaticObjectMethod(natives, tensor, output.dtype, shape,
                                     elements);
}

// Returns an array of TfTensor, or NULL with a pending exception.
jobjectArray Outputs(JNIEnv* env, jclass natives,
                     const tfcarve_result* result) {
  jclass tensor_class = env->FindClass("org/tfcarve/TfTensor");
  if (tensor_class == nullptr) return nullptr;
  const size_t count = tfcarve_result_count(result);
  jobjectArray outputs =
      env->NewObjectArray(static_cast<jsize>(count), tensor_class, nullptr);
  if (outputs == nullptr) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    tfcarve_tensor output;
    tfcarve_result_get(result, i, &output);
    if (env->PushLocalFrame(8) != JNI_OK) return nullptr;
    jobject tensor = env->PopLocalFrame(Tensor(env, natives, output));
    if (env->ExceptionCheck()) return nullptr;
    env->SetObjectArrayElement(outputs, static_cast<jsize>(i), tensor);
    env->DeleteLocalRef(tensor);
  }
  return outputs;
}

// Adds the times of a run's nodes to a TfTrace; stops at an exception.
void AddTimes(JNIEnv* env, const tfcarve_result* result, jobject trace) {
  const jmethodID add =
      env->GetMethodID(env->GetObjectClass(trace), "add", "([B[BJ)V");
  if (add == nullptr) return;
  const size_t count = tfcarve_result_trace_count(result);
  for (size_t i = 0; i < count && !env->ExceptionCheck(); ++i) {
    tfcarve_node_trace node;
    tfcarve_result_trace_get(result, i, &node);
    jbyteArray name = Bytes(env, node.node);
    if (name == nullptr) return;
    jbyteArray op = Bytes(env, node.op);
    if (op == nullptr) return;
    env->CallVoidMethod(trace, add, name, op,
                        static_cast<jlong>(node.duration_ns));
    env->DeleteLocalRef(name);
    env->DeleteLocalRef(op);
  }
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_tfcarve_Natives_openBuffer(
    JNIEnv* env, jclass natives, jobject graph, jlong size, jint threads,
    jlong memory_limit) {
  const tfcarve_session_options options = Options(threads, memory_limit);
  return Opened(env, natives,
                tfcarve_session_new(env->GetDirectBufferAddress(graph),
                                    static_cast<size_t>(size), &options));
}

JNIEXPORT jlong JNICALL Java_org_tfcarve_Natives_openBytes(JNIEnv* env,
                                                           jclass natives,
                                                           jbyteArray graph,
                                                           jint threads,
                                                           jlong memory_limit) {
  const tfcarve_session_options options = Options(threads, memory_limit);
  Array array = {env, graph};
  const tfcarve_reader reader = {
      &array, static_cast<size_t>(env->GetArrayLength(graph)), ReadArray};
  return Opened(env, natives,
                tfcarve_session_new_from_reader(&reader, &options));
}

JNIEXPORT jlong JNICALL Java_org_tfcarve_Natives_openFile(JNIEnv* env,
                                                          jclass natives,
                                                          jbyteArray path,
                                                          jint threads,
                                                          jlong memory_limit) {
  const tfcarve_session_options options = Options(threads, memory_limit);
  return Opened(
      env, natives,
      tfcarve_session_new_from_file(Text(env, path).c_str(), &options));
}

JNIEXPORT void JNICALL Java_org_tfcarve_Natives_free(JNIEnv*, jclass,
                                                     jlong session) {
  tfcarve_session_free(Object<tfcarve_session>(session));
}

JNIEXPORT jobjectArray JNICALL Java_org_tfcarve_Natives_declared(
    JNIEnv* env, jclass natives, jlong address, jboolean outputs) {
  const auto* session = Object<tfcarve_session>(address);
  const jmethodID info = env->GetStaticMethodID(
      natives, "info", "([BI[J)Lorg/tfcarve/TfTensorInfo;");
  if (info == nullptr) return nullptr;
  jclass info_class = env->FindClass("org/tfcarve/TfTensorInfo");
  if (info_class == nullptr) return nullptr;
  const size_t count = outputs ? tfcarve_session_output_count(session)
                               : tfcarve_session_input_count(session);
  jobjectArray infos =
      env->NewObjectArray(static_cast<jsize>(count), info_class, nullptr);
  if (infos == nullptr) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    tfcarve_tensor_info declared;
    (outputs ? tfcarve_session_output : tfcarve_session_input)(session, i,
                                                               &declared);
    jbyteArray name = Bytes(env, declared.name);
    if (name == nullptr) return nullptr;
    jlongArray shape = Shape(env, declared.rank, declared.dims);
    if (env->ExceptionCheck()) return nullptr;
    jobject one =
        env->CallStaticObjectMethod(natives, info, name, declared.dtype, shape);
    if (env->ExceptionCheck()) return nullptr;
    env->SetObjectArrayElement(infos, static_cast<jsize>(i), one);
    env->DeleteLocalRef(one);
    env->DeleteLocalRef(shape);
    env->DeleteLocalRef(name);
  }
  return infos;
}

JNIEXPORT jobjectArray JNICALL Java_org_tfcarve_Natives_run(
    JNIEnv* env, jclass natives, jlong session, jobjectArray names,
    jintArray types, jobjectArray shapes, jobjectArray elements,
    jobjectArray output_names, jlong timeout, jlong cancellation,
    jobject trace) {
  const std::vector<std::string> input_texts = Texts(env, names);
  std::vector<jint> type_numbers(input_texts.size());
  env->GetIntArrayRegion(types, 0, static_cast<jsize>(type_numbers.size()),
                         type_numbers.data());
  std::vector<Input> inputs(input_texts.size());
  std::vector<tfcarve_tensor> views(input_texts.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto at = static_cast<jsize>(i);
    auto shape =
        static_cast<jlongArray>(env->GetObjectArrayElement(shapes, at));
    jobject values = env->GetObjectArrayElement(elements, at);
    View(env, input_texts[i], type_numbers[i], shape, values, &inputs[i],
         &views[i]);
    env->DeleteLocalRef(shape);
    env->DeleteLocalRef(values);
  }
  const std::vector<std::string> output_texts = Texts(env, output_names);
  std::vector<const char*> outputs;
  for (const std::string& text : output_texts) outputs.push_back(text.c_str());

  tfcarve_run_options options = TFCARVE_RUN_OPTIONS_INIT;
  options.timeout_ms = timeout;
  options.cancellation = Object<tfcarve_cancellation>(cancellation);
  options.trace = trace != nullptr;
  tfcarve_result* result = tfcarve_session_run(
      Object<tfcarve_session>(session), views.data(), views.size(),
      outputs.data(), outputs.size(), &options);
  jobjectArray tensors = nullptr;
  if (const char* error = tfcarve_result_error(result)) {
    Throw(env, natives, tfcarve_result_status(result), error,
          tfcarve_result_error_node(result));
  } else {
    tensors = Outputs(env, natives, result);
    if (tensors != nullptr && trace != nullptr) AddTimes(env, result, trace);
  }
  tfcarve_result_free(result);
  return tensors;
}

JNIEXPORT jlong JNICALL Java_org_tfcarve_Natives_newCancellation(JNIEnv*,
                                                                 jclass) {
  return Address(tfcarve_cancellation_new());
}

JNIEXPORT void JNICALL Java_org_tfcarve_Natives_cancel(JNIEnv*, jclass,
                                                       jlong cancellation) {
  tfcarve_cancel(Object<tfcarve_cancellation>(cancellation));
}

JNIEXPORT void JNICALL
Java_org_tfcarve_Natives_freeCancellation(JNIEnv*, jclass, jlong cancellation) {
  tfcarve_cancellation_free(Object<tfcarve_cancellation>(cancellation));
}

JNIEXPORT jlong JNICALL Java_org_tfcarve_Natives_address(JNIEnv* env, jclass,
                                                         jobject direct) {
  return Address(env->GetDirectBufferAddress(direct));
}

JNIEXPORT jbyteArray JNICALL Java_org_tfcarve_Natives_manifest(JNIEnv* env,
                                                               jclass) {
  return Bytes(env, tfcarve_manifest());
}

}  // extern "C"
