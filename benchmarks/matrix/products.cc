// Measures the matrix products of several libraries, in turns.
//
//   products ROUNDS PACKS ROWSxCOLUMNSxDEPTH... -- LIBRARY PATH...
//
// Prints a line for each shape and each library's path, both numbered from 0:
//
//   SHAPE PATH SECONDS PACK_SECONDS PACKED_BYTES ERROR
//
// SECONDS is the minimum CPU time of ROUNDS products, PACK_SECONDS that of
// packing PACKS times. ERROR is the largest difference from a plain loop in
// double precision, divided by the sum of the absolute values of the terms;
// infinite if an integer differs.
// About 4,000 elements are compared; all are checked for having been written.
// The line is "SHAPE PATH unsupported" if this machine cannot run the path.

#include "benchmarks/matrix/products.h"

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Numbers = std::unique_ptr<T[], Free>;

// What is not written by a product.
constexpr Sum kUnwritten = std::is_integral_v<Sum>
                               ? std::numeric_limits<Sum>::lowest()
                               : std::numeric_limits<Sum>::quiet_NaN();

constexpr std::size_t kLine = 64;
constexpr std::ptrdiff_t kChecked = 4000;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "products: %s\n", why.c_str());
  std::exit(2);
}

// Returns zeros, followed by memory that may be read.
template <typename T>
Numbers<T> Allocate(std::size_t count) {
  const std::size_t bytes = (count * sizeof(T) / kLine + 2) * kLine;
  Numbers<T> numbers(static_cast<T*>(std::aligned_alloc(kLine, bytes)));
  if (!numbers) Fail("no memory");
  std::memset(numbers.get(), 0, bytes);
  return numbers;
}

// Returns the same numbers in each run: from -1 to 1, or bytes.
Numbers<Operand> Random(std::size_t count, std::uint32_t state) {
  Numbers<Operand> numbers = Allocate<Operand>(count);
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    if constexpr (std::is_integral_v<Operand>) {
      numbers[i] = state >> 24;
    } else {
      numbers[i] = static_cast<float>(state >> 8) / (1 << 23) - 1;
    }
  }
  return numbers;
}

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

class Path {
 public:
  Path(const char* library, const char* name) : name_(name) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) Fail(dlerror());
    Get(handle, "Supports", &supports_);
    Get(handle, "PackedSize", &packed_size_);
    Get(handle, "Pack", &pack_);
    Get(handle, "Multiply", &multiply_);
  }

  bool Supports() const { return supports_(name_); }
  std::size_t PackedSize(const Product& product) const {
    return packed_size_(name_, product);
  }
  void Pack(const Product& product, Operand* packed) const {
    pack_(name_, product, packed);
  }
  void Multiply(const Product& product, const Operand* packed) const {
    multiply_(name_, product, packed);
  }

 private:
  template <typename Function>
  static void Get(void* handle, const char* name, Function** function) {
    *function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (*function == nullptr) Fail(dlerror());
  }

  const char* name_;
  decltype(::Supports)* supports_;
  decltype(::PackedSize)* packed_size_;
  decltype(::Pack)* pack_;
  decltype(::Multiply)* multiply_;
};

struct Expected {
  std::ptrdiff_t element;
  double value;
  double size;  // the sum of the terms' absolute values
};

struct Result {
  Numbers<Operand> packed;
  double seconds = std::numeric_limits<double>::infinity();
  double pack_seconds = std::numeric_limits<double>::infinity();
  double error = 0;
};

// A product, its operands and the results of each path.
struct Case {
  Product product;
  Numbers<Operand> left;
  Numbers<Operand> right;
  Numbers<Sum> out;
  std::vector<Expected> expected;
  std::vector<Result> results;
};

Expected Expect(const Product& product, std::ptrdiff_t element) {
  const Operand* row = product.left + element / product.columns * product.depth;
  const Operand* column = product.right + element % product.columns;
  Expected expected = {element, 0, 0};
  for (std::ptrdiff_t k = 0; k < product.depth; ++k) {
    const double term =
        (static_cast<double>(row[k]) - kLeftZero) *
        (static_cast<double>(column[k * product.columns]) - kRightZero);
    expected.value += term;
    expected.size += std::abs(term);
  }
  return expected;
}

Case MakeCase(const char* shape, std::size_t paths) {
  Case result = {};
  Product& product = result.product;
  if (std::sscanf(shape, "%tdx%tdx%td", &product.rows, &product.columns,
                  &product.depth) != 3 ||
      product.rows < 1 || product.columns < 1 || product.depth < 1) {
    Fail(std::string("not a shape: ") + shape);
  }
  result.left = Random(product.rows * product.depth, 1);
  result.right = Random(product.depth * product.columns, 2);
  result.out = Allocate<Sum>(product.rows * product.columns);
  product.left = result.left.get();
  product.right = result.right.get();
  product.out = result.out.get();
  result.results = std::vector<Result>(paths);
  // Covers all columns and the last element.
  const std::ptrdiff_t size = product.rows * product.columns;
  std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, size / kChecked);
  while (std::gcd(step, product.columns) != 1) ++step;
  for (std::ptrdiff_t i = size - 1; i >= 0; i -= step) {
    result.expected.push_back(Expect(product, i));
  }
  return result;
}

bool IsUnwritten(Sum sum) {
  if constexpr (std::is_integral_v<Sum>) return sum == kUnwritten;
  return std::isnan(sum);
}

double Error(const Case& of) {
  const std::ptrdiff_t size = of.product.rows * of.product.columns;
  const Sum* out = of.product.out;
  if (std::any_of(out, out + size, [](Sum x) { return IsUnwritten(x); })) {
    return std::numeric_limits<double>::infinity();
  }
  double error = 0;
  for (const Expected& each : of.expected) {
    const double difference = std::abs(out[each.element] - each.value);
    if (std::is_integral_v<Sum> && difference != 0) {
      return std::numeric_limits<double>::infinity();
    }
    if (difference != 0) error = std::max(error, difference / each.size);
  }
  return error;
}

void PackOnce(const Path& path, const Product& product, Result* result) {
  const double start = CpuSeconds();
  path.Pack(product, result->packed.get());
  result->pack_seconds = std::min(result->pack_seconds, CpuSeconds() - start);
}

void MultiplyOnce(const Path& path, const Product& product, Result* result) {
  const double start = CpuSeconds();
  path.Multiply(product, result->packed.get());
  result->seconds = std::min(result->seconds, CpuSeconds() - start);
}

}  // namespace

int main(int argc, char** argv) {
  const auto end = std::find_if(argv, argv + argc, [](const char* argument) {
    return std::strcmp(argument, "--") == 0;
  });
  if (end - argv < 4 || (argv + argc - end) % 2 == 0) Fail("see products.cc");
  const int rounds = std::atoi(argv[1]), packs = std::atoi(argv[2]);
  if (rounds < 1 || packs < 1) Fail("rounds and packs are at least 1");
  std::vector<Path> paths;
  for (char** each = end + 1; each < argv + argc; each += 2) {
    paths.emplace_back(each[0], each[1]);
  }
  std::vector<Case> cases;
  for (char** each = argv + 3; each < end; ++each) {
    cases.push_back(MakeCase(*each, paths.size()));
  }
  for (Case& of : cases) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
      if (!paths[p].Supports()) continue;
      of.results[p].packed = Allocate<Operand>(paths[p].PackedSize(of.product));
      for (int i = 0; i < packs; ++i) {
        PackOnce(paths[p], of.product, &of.results[p]);
      }
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (Case& of : cases) {
      for (std::size_t p = 0; p < paths.size(); ++p) {
        if (!paths[p].Supports()) continue;
        if (round == 0) {
          std::fill_n(of.product.out, of.product.rows * of.product.columns,
                      kUnwritten);
        }
        MultiplyOnce(paths[p], of.product, &of.results[p]);
        if (round == 0) of.results[p].error = Error(of);
      }
    }
  }
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
      const Result& result = cases[c].results[p];
      if (!paths[p].Supports()) {
        std::printf("%zu %zu unsupported\n", c, p);
        continue;
      }
      std::printf("%zu %zu %.9f %.9f %zu %.3e\n", c, p, result.seconds,
                  result.pack_seconds,
                  paths[p].PackedSize(cases[c].product) * sizeof(Operand),
                  result.error);
    }
  }
  return 0;
}
