// A program that names nothing of the carved library.

extern "C" void print_kernel_count();

int main() {
  print_kernel_count();
  return 0;
}
