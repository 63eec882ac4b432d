"""Names that a text defines, instantiates, leaves to others and uses: tables of (text, names)."""

import pytest

from tfcarve.build_files.symbols import (
    defined_names,
    instantiated_names,
    promised_names,
    used_names,
)


@pytest.mark.parametrize(
    ("text", "names"),
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
def test_defined(text: str, names: set[str]) -> None:
    assert defined_names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#define ALL(T) \\\n  template struct functor::Slice<CPU, T, 1>;", {"Slice"}),
        ("template Index   \\\n  Gather<CPU, T>::operator()(const CPU& d);", {"Gather"}),
        ("template <typename T>\nstruct Gather<CPU, T> { };", set()),
        ("extern template struct Slice<CPU, T, 1>;", set()),
        ("// template struct Slice<CPU>;", set()),
    ],
)
def test_instantiated(text: str, names: set[str]) -> None:
    assert instantiated_names(text) == names
    assert instantiated_names(text) <= defined_names(text)


@pytest.mark.parametrize(
    ("text", "names"),
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
def test_promised(text: str, names: set[str]) -> None:
    assert promised_names(text) == names


def test_used_leaves_out_comments() -> None:
    assert used_names("Fill<T>(x); // not Launch") == {"Fill"}
