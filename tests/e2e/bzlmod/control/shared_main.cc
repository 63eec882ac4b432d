// A program that uses no symbol of the carved library itself.

extern "C" void print_kernel_count();

int main() {
  print_kernel_count();
  return 0;
}
