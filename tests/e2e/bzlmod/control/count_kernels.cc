// Prints the number of kernels that the linked library has registered.

#include <cstdio>

#include "tfcarve_c_api.h"

int main() {
  std::printf("%zu\n", tfcarve_kernel_count());
  return 0;
}
