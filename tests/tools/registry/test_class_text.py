"""Compares the class text in the index with the text that g++ and clang++ compile."""

import os
import subprocess
from pathlib import Path

import compilers
import pytest
import trees
from msgspec.structs import replace

from tfcarve.errors import InvalidInput
from tfcarve.registry import index, scan
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known

# Spellings as in TensorFlow's macros in which preprocessors add or remove blanks.
_SOURCE = """\
#include "tensorflow/core/framework/op_kernel.h"
namespace tensorflow {
#define COMMA ,
#define PAIR(a, b) a, b
#define OP(type) Odd ## Op < CPUDevice,type >
#define REGISTER(type) REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU), OP(type));
#define REGISTER_FUNCTOR(f, ...) \\
  REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU), Outer<f<__VA_ARGS__>,   Inner<  __VA_ARGS__>>);
TF_CALL_float(REGISTER)
TF_CALL_int32(REGISTER)
REGISTER(unsigned   long)
REGISTER_FUNCTOR(functor::add, float)
REGISTER_FUNCTOR(functor::add, PAIR(int, const char*))
REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU), A<float COMMA int>);
REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU),
                        A<float,
                          /* a comment */ 3, 'c', &B::operator+>);
REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU), A<"text \\" , \\\\">);
REGISTER_KERNEL_BUILDER(Name("Odd").Device(DEVICE_CPU), A<(1>2), -1, a::b<c>::d>);
}
"""
# As in tensorflow/core/framework/op_kernel.h: the text is created after all macros are expanded.
_PRINTS_CLASSES = """\
#include <cstdio>
#define TF_CALL_float(m) m(float)
#define TF_CALL_int32(m) m(::tensorflow::int32)
#define TEXT_1(...) #__VA_ARGS__
#define TEXT(...) TEXT_1(__VA_ARGS__)
#define REGISTER_KERNEL_BUILDER(builder, ...) \\
  static const int CONCAT(x, __COUNTER__) = std::puts(TEXT(__VA_ARGS__))
#define CONCAT(a, b) CONCAT_1(a, b)
#define CONCAT_1(a, b) a##b
"""
_FILE = "tensorflow/core/kernels/odd_op.cc"


@pytest.mark.parametrize("compiler", compilers.ALL)
@pytest.mark.parametrize("indexer", compilers.ALL)
def test_text(tmp_path: Path, indexer: str, compiler: str) -> None:
    root = trees.write(tmp_path / "tree", {**trees.FILES, _FILE: _SOURCE})
    built = index.parse(scan.make_index(root, known.release(), Settings((), (indexer,))), "index")
    indexed = sorted(r.clazz for r in built.registrations if r.op == "Odd")

    body = _SOURCE.split("\n", 1)[1]
    (tmp_path / "print.cc").write_text(f"{_PRINTS_CLASSES}{body}\nint main() {{}}\n")
    command = [compiler, "-std=c++17", "-w", "-o", "print", "print.cc"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run(
        [tmp_path / "print"], capture_output=True, text=True, check=True
    ).stdout
    compiled = sorted(printed.splitlines())

    assert len(indexed) == 9
    # Compilers may differ in blanks; ops_to_register.h ignores them.
    assert ["".join(o.split()) for o in indexed] == ["".join(t.split()) for t in compiled]
    if indexer == compiler:
        assert indexed == compiled


@pytest.mark.parametrize("compiler", compilers.ALL)
def test_every_compiler_gives_the_same_index(tmp_path: Path, compiler: str) -> None:
    """Except for lines: g++ and clang++ report different lines for a macro call that spans several lines."""
    root = trees.write(tmp_path, {**trees.FILES, _FILE: _SOURCE.replace("unsigned   long", "long")})

    def rows(settings: Settings) -> list[index.Registration]:
        built = index.parse(scan.make_index(root, known.release(), settings), "index")
        return sorted((replace(r, line=0) for r in built.registrations), key=lambda r: r.sort_key())

    usual = Settings((), find_compiler(os.environ))
    assert rows(Settings((), (compiler,))) == rows(usual)


def test_a_source_with_a_marker(tmp_path: Path) -> None:
    root = trees.write(tmp_path, {**trees.FILES, _FILE: "TFCARVE_SOURCE\n" + _SOURCE})
    with pytest.raises(InvalidInput, match=r"printed \d parts for \d sources: .*odd_op.cc"):
        scan.make_index(root, known.release(), Settings((), find_compiler(os.environ)))
