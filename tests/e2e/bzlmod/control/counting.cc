// A source of the app's shared library, which contains the carved library.

#include <cstdio>

#include "tfcarve_c_api.h"

extern "C" void print_kernel_count() {
  std::printf("%zu\n", tfcarve_kernel_count());
}
