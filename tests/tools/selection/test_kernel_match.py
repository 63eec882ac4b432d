"""Tests of the kernel look-up: TensorFlow's own rules, one a row."""

import re

import pytest
from indexes import op, registration

from tfcarve.models.node_use import AttrValue
from tfcarve.op_definition import Attr
from tfcarve.registry.index import Registration
from tfcarve.selection.kernel_match import default_value, find, mismatch, with_defaults

_FLOAT = registration("A", "Float", T=("float32",))
_ANY = registration("A", "Any", T=("float32", "int32"))
_DEFAULT = registration("A", "Default", "DEFAULT")
_LABEL = registration("A", "Labelled", label="fast")
_HIGH = registration("A", "High", priority=2, T=("float32",))
_GPU = registration("A", "Gpu", "GPU")
_NHWC = registration("A", "Nhwc", values={"data_format": ("NHWC",)})


def _attrs(**values: object) -> dict[str, AttrValue]:
    made = {}
    for name, value in values.items():
        kind = "list(type)" if isinstance(value, tuple) else "type" if name == "T" else "string"
        made[name] = AttrValue(kind, value)
    return made


@pytest.mark.parametrize(
    ("registrations", "attrs", "classes"),
    [
        ([_FLOAT], {"T": "float32"}, ["Float"]),
        ([_FLOAT], {"T": ("float32", "float32")}, ["Float"]),
        ([_FLOAT], {"T": ()}, ["Float"]),
        ([_FLOAT, _HIGH], {"T": "float32"}, ["High"]),
        ([_DEFAULT], {}, ["Default"]),
        ([_FLOAT, _DEFAULT], {"T": "float32"}, ["Float"]),
        ([_FLOAT, _DEFAULT], {"T": "int32"}, ["Default"]),
        ([_FLOAT, _LABEL], {"T": "float32", "_kernel": "fast"}, ["Labelled"]),
        ([_NHWC], {"data_format": "NHWC"}, ["Nhwc"]),
    ],
)
def test_found(
    registrations: list[Registration], attrs: dict[str, object], classes: list[str]
) -> None:
    assert [r.clazz for r in find(registrations, "CPU", _attrs(**attrs)).kernels] == classes


@pytest.mark.parametrize(
    ("registrations", "attrs", "why"),
    [
        ([], {}, "no CPU kernel"),
        ([_GPU], {}, "no CPU kernel"),
        ([_FLOAT], {"T": "bool"}, "no kernel for T=bool"),
        ([_FLOAT], {"T": ("float32", "bool")}, "no kernel for T=bool"),
        ([_FLOAT], {}, "no kernel for a node without attribute T"),
        (
            [_FLOAT, _ANY],
            {"T": "float32"},
            "several kernels match with the same priority: Float .*Any ",
        ),
        ([_FLOAT], {"T": "float32", "_kernel": "fast"}, "no CPU kernel with the label 'fast'"),
        ([_NHWC], {"data_format": "NCHW"}, "no kernel for data_format=NCHW"),
        ([_NHWC], {}, "no kernel for a node without attribute data_format"),
    ],
)
def test_not_found(registrations: list[Registration], attrs: dict[str, object], why: str) -> None:
    found = find(registrations, "CPU", _attrs(**attrs))
    assert found.kernels == ()
    assert re.search(why, found.why)


def test_an_attribute_of_a_caller_matches_all_kernels() -> None:
    open_type = {"T": AttrValue("placeholder", "T")}
    assert find([_FLOAT, _ANY], "CPU", open_type).kernels == (_FLOAT, _ANY)


def test_an_attribute_of_another_kind() -> None:
    assert mismatch(_FLOAT, {"T": AttrValue("int", 3)}) == "a node whose attribute T is not a type"


def test_defaults() -> None:
    definition = op("A", T=Attr("type", "int32"), L=Attr("list(type)", ("bool",)), n=Attr("int"))
    assert with_defaults(definition, {"T": AttrValue("type", "bool")}) == {
        "T": AttrValue("type", "bool"),
        "L": AttrValue("list(type)", ("bool",)),
    }
    assert default_value(Attr("int")) is None
