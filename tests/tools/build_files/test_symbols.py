"""Tests of the names that a source defines, instantiates, promises and uses."""

import pytest

from tfcarve.build_files.symbols import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int Add(int a) {\n  return Sub(a);\n}", {"Add"}),
        ("Status Pool::Run(Context* c) {}", {"Pool"}),
        ("Pool::~Pool() {}", {"Pool"}),
        ("void Functor<CPUDevice, T>::operator()(int x) {}", {"Functor"}),
        ("template struct functor::Fill<CPUDevice, float>;", {"Fill"}),
        ("  Indented(1);", set()),
        ("static int Hidden() {}", set()),
        ("// int Commented(int a)\n/* int Too() */", set()),
    ],
)
def test_defined(text: str, expected: set[str]) -> None:
    assert names(text).defined == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define ALL(T) \\\n  template struct functor::Slice<CPU, T, 1>;", {"Slice"}),
        ("template Index   \\\n  Gather<CPU, T>::operator()(const CPU& d);", {"Gather"}),
        ("template <typename T>\nstruct Gather<CPU, T> { };", set()),
        ("extern template struct Slice<CPU, T, 1>;", set()),
        ("// template struct Slice<CPU>;", set()),
    ],
)
def test_instantiated(text: str, expected: set[str]) -> None:
    found = names(text)
    assert found.instantiated == expected
    assert found.instantiated <= found.defined


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("struct Gather {\n  // why\n  int operator()(const D& d, T<int> t);\n};", {"Gather"}),
        ("struct Tile { void operator()(const D& d) const; };", {"Tile"}),
        ("struct Tile { void operator()(const D& d) const { } };", set()),
        ("struct Tile;", set()),
        ("extern template struct functor::Slice<CPUDevice, T, 1>;", {"Slice"}),
        ("extern template struct Slice<GPUDevice, T, 1>;", set()),
        ("extern template struct Slice<GpuDevice, T, 1>;", set()),
    ],
)
def test_promised(text: str, expected: set[str]) -> None:
    assert names(text).promised == expected


def test_used_without_comments() -> None:
    assert names("Fill<T>(x); // not Launch").used == {"Fill"}
