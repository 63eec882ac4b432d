"""defined_names() and used_names(): tables of (text, names)."""

import pytest

from tfcarve.build_files.symbols import defined_names, used_names


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


def test_used_leaves_out_comments() -> None:
    assert used_names("Fill<T>(x); // not Launch") == {"Fill"}
