#include "tensorflow/core/framework/registration/registration.h"

namespace mini {
REGISTER_MINI_OP("Relu", "sets what is under zero to zero, in a few words");
REGISTER_MINI_OP("Table", "gives a table's values, in a few other words");
}  // namespace mini
