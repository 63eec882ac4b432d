// What an app has in a shared library of its own, with the carved one in it.

#include <cstdio>

#include "tfcarve_c_api.h"

extern "C" void print_kernel_count() {
  std::printf("%zu\n", tfcarve_kernel_count());
}
