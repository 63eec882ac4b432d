"""Platform tags of wheels, for libraries that compilers make."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.package import manylinux

_ADD = 'extern "C" int Add(int a, int b) { return a + b; }'
# basic_string::resize_and_overwrite… needs nothing new; a stream that is moved does: GLIBCXX_3.4.21.
_STREAM = """
#include <sstream>
extern "C" int Count(const char* text) {
  std::stringstream stream(text);
  std::stringstream moved(std::move(stream));
  return static_cast<int>(moved.str().size());
}
"""


def _library(folder: Path, source: str, *options: str, compiler: str = "g++") -> bytes:
    (folder / "one.cc").write_text(source)
    words = [compiler, "-shared", "-fPIC", *options, "one.cc", "-o", "one.so"]
    subprocess.run(words, cwd=folder, check=True)
    return (folder / "one.so").read_bytes()


@pytest.mark.parametrize(
    ("compiler", "cpu"),
    [
        ("g++", "x86_64"),
        ("aarch64-linux-gnu-g++", "aarch64"),
        ("arm-linux-gnueabihf-g++", "armv7l"),
    ],
)
def test_the_oldest_glibc(compiler: str, cpu: str, tmp_path: Path) -> None:
    options = ("-Wl,--no-as-needed",)
    data = _library(tmp_path, _ADD, *options, compiler=compiler)
    assert manylinux.tag(data, "one.so") == f"manylinux_2_17_{cpu}"


def test_the_oldest_libstdcxx(tmp_path: Path) -> None:
    # Debian 12 has g++ 12: GLIBCXX_3.4.30 is on distributions with glibc 2.35.
    data = _library(tmp_path, _STREAM, "-std=c++17")
    number = int(manylinux.tag(data, "one.so").split("_")[2])
    assert 26 <= number <= 35


@pytest.mark.parametrize(
    ("compiler", "options", "message"),
    [
        (
            "g++",
            ("-Wl,--no-as-needed", "-lz"),
            "one.so: needs libz.so.1, so it is no library for all",
        ),
        ("g++", ("-nostdlib",), "one.so: is not linked with glibc"),
        ("i686-linux-gnu-g++", (), "one.so: is for x86_32: wheels are for x86_64, aarch64, armv7"),
    ],
)
def test_other_libraries(
    compiler: str, options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    data = _library(tmp_path, _ADD, *options, compiler=compiler)
    with pytest.raises(InvalidInput, match=message):
        manylinux.tag(data, "one.so")


def test_damaged_libraries(tmp_path: Path) -> None:
    data = _library(tmp_path, _STREAM)
    for end in range(0, len(data), len(data) // 60):
        try:
            manylinux.tag(data[:end], "one.so")
        except InvalidInput as error:
            assert str(error).startswith("one.so: ")
