#include "tensorflow/core/framework/registration/registration.h"

namespace mini {
// As large as it says: its price is known beforehand.
const unsigned char kTable[20000] = {1, 2, 3};

class TableOp : public Kernel {
 public:
  const char* Compute(void* data, int size) override {
    auto* bytes = static_cast<volatile unsigned char*>(data);
    for (int i = 0; i < size; ++i) bytes[i] = kTable[(i * 7) % 20000];
    return "table was computed by a kernel of this source";
  }
};

REGISTER_MINI_KERNEL("Table", TableOp);
}  // namespace mini
