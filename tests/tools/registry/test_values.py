"""Tests of evaluating expressions."""

import pytest

from tfcarve.registry.values import Resolver, Unresolved, constants, unresolved_names

_TEXTS = {
    "a/one.cc": 'constexpr char kName[] = "One";\nstring GetSpec() {\n  return "a: "\n  "b";\n}',
    "a/two.h": 'constexpr const char* const kName = "Two"; const char* const DEVICE_CPU = "CPU";',
    "b/alias.cc": "static constexpr auto kAlias = Other::kAlias;",
    "b/alias.h": 'constexpr absl::string_view kAlias = "it";',
    "c/types.h": "constexpr std::array<DataType, 2> kTypes = {{DT_FLOAT, DT_BOOL}};",
    "d/loop.h": "constexpr auto kLoop = kOther; constexpr auto kOther = kLoop;",
}


def _resolver(*names: str) -> Resolver:
    return Resolver(constants(names, _TEXTS))


@pytest.mark.parametrize(
    ("expression", "file", "value"),
    [
        ('"a" "b"', "x.cc", "ab"),
        ("kName", "a/one.cc", "One"),
        ("ns::kName", "a/two.h", "Two"),
        ("DEVICE_CPU", "x.cc", "CPU"),
        ("GetSpec()", "x.cc", "a: b"),
        ("kAlias", "b/alias.cc", "it"),
    ],
)
def test_string(expression: str, file: str, value: str) -> None:
    resolver = _resolver("kName", "DEVICE_CPU", "GetSpec", "kAlias")
    assert resolver.string(expression, file) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("kName", "has several definitions"),
        ("kUnknown", "has no definition"),
        ("kLoop", "is defined by itself"),
    ],
)
def test_no_string(expression: str, message: str) -> None:
    with pytest.raises(Unresolved, match=message):
        _resolver("kName", "kLoop", "kOther").string(expression, "x.cc")


def test_types() -> None:
    resolver = _resolver("kTypes", "kName")
    assert resolver.types("DT_INT32", "x.cc") == ("int32",)
    assert resolver.types("tensorflow::DT_HALF", "x.cc") == ("float16",)
    assert resolver.types("kTypes", "x.cc") == ("float32", "bool")
    with pytest.raises(Unresolved, match="is not a list of types"):
        resolver.types("kName", "a/one.cc")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("float", "float32"),
        ("typename EnumToDataType<DT_BOOL>::Type", "bool"),
        ("::tensorflow::tstring", "string"),
    ],
)
def test_cpp_type(text: str, name: str) -> None:
    assert Resolver({}).cpp_type(text) == name


def test_no_cpp_type() -> None:
    with pytest.raises(Unresolved, match="has no data type"):
        Resolver({}).cpp_type("MyType")


def test_unresolved_names() -> None:
    assert unresolved_names(['"a"', "", "DT_FLOAT", "a::kX", "F()", "-3"]) == {"kX", "F"}
    assert constants([], _TEXTS) == {}
