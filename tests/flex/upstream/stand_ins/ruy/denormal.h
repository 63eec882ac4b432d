// Stands for ruy's header: TensorFlow Lite's interpreter creates this object
// when it runs a model. The tests' numbers are not denormal.

#ifndef RUY_DENORMAL_H_
#define RUY_DENORMAL_H_

namespace ruy {

struct ScopedSuppressDenormals {
  ScopedSuppressDenormals() {}
  ~ScopedSuppressDenormals() {}
};

}  // namespace ruy

#endif  // RUY_DENORMAL_H_
