"""Tests of reading GraphDefs in binary form."""

import protos
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protos import node

from tfcarve.models import graph_def
from tfcarve.models.node_use import AttrValue, Function, NodeUse
from tfcarve.models.wire import Budget, WireError


def _graph(data: bytes) -> graph_def.Graph:
    return graph_def.graph(data, 0, len(data), "m.pb", Budget(len(data)))


def _read(data: bytes) -> list[NodeUse]:
    return list(_graph(data).nodes)


def _attr(value: bytes) -> AttrValue:
    return _read(protos.graph(node("n", "Op", {"a": value})))[0].attrs["a"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (protos.type_value("float32"), AttrValue("type", "float32")),
        (protos.number(6, 101), AttrValue("type", "float32_ref")),
        (protos.number(6, 77), AttrValue("type", "DataType(77)")),
        (protos.string_value("SAME"), AttrValue("string", "SAME")),
        (protos.int_value(-3), AttrValue("int", -3)),
        (protos.bool_value(True), AttrValue("bool", True)),
        (protos.function_value("f"), AttrValue("func", "f")),
        (protos.placeholder_value("T"), AttrValue("placeholder", "T")),
        (protos.types_value("float32", "bool"), AttrValue("list(type)", ("float32", "bool"))),
        (protos.data(1, protos.number(6, 1)), AttrValue("list(type)", ("float32",))),
        (protos.data(1, protos.data(2, "a")), AttrValue("list(string)", ("a",))),
        (protos.data(1, protos.data(3, b"\1\2")), AttrValue("list(int)", (1, 2))),
        (protos.data(1, protos.data(9, protos.data(1, "f"))), AttrValue("list(func)", ("f",))),
        (protos.data(1, b""), AttrValue("list()", ())),
        (protos.data(1, protos.data(3, b"\1" * 70_000)), AttrValue("long", None)),
        (protos.data(1, protos.data(4, bytes(4 * 70_000))), AttrValue("long", None)),
        (protos.data(1, protos.data(4, bytes(8))), AttrValue("list(float)", (None, None))),
        (protos.data(1, b"\x25\0\0\0\0"), AttrValue("list(float)", (None,))),
        (
            protos.data(1, protos.data(7, protos.shape(2)) * 2),
            AttrValue("list(shape)", (None, None)),
        ),
        (protos.data(1, protos.data(8, "")), AttrValue("list(tensor)", (None,))),
        (protos.data(1, protos.number(3, 1) + protos.number(5, 1)), AttrValue("mixed", None)),
        (protos.tensor_value("int32", (2, 3), b"values"), AttrValue("tensor", ("int32", (2, 3)))),
        (protos.data(7, protos.shape(-1, 3)), AttrValue("shape", (-1, 3))),
        (protos.data(7, protos.number(3, 1)), AttrValue("shape", None)),
        (b"\x25\0\0\0\0", AttrValue("float", None)),
        (b"", AttrValue("unset", None)),
    ],
)
def test_attr(value: bytes, expected: AttrValue) -> None:
    assert _attr(value) == expected


def test_nodes_and_functions() -> None:
    data = protos.graph(
        node("x", "Placeholder"),
        node("y", "F", device="/device:GPU:0", inputs=["x", "^z"]),
        functions=[protos.function("F", node("inner", "Relu"), returned=["inner:out:0", "x"])],
    )
    read = _graph(data)
    assert list(read.nodes) == [
        NodeUse("m.pb", "", "x", "Placeholder", "", {}),
        NodeUse("m.pb", "", "y", "F", "/device:GPU:0", {}, ("x", "^z")),
        NodeUse("m.pb", "F", "inner", "Relu", "", {}),
    ]
    assert read.functions == {"F": Function(returned={"r0": "inner:out:0", "r1": "x"})}
    assert read.functions["F"].returned_nodes() == ("inner", "x")
    assert read.versions.producer == 1


def test_tensor_values_are_not_read() -> None:
    # The values are not a valid message: reading them would fail.
    assert _attr(protos.tensor_value("float32", (1,), b"\xff" * 40)).kind == "tensor"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (protos.graph(node("n", "")), "node 'n': has no op"),
        (protos.graph(node("n", "a b")), "node 'n': 'a b' is not an op name"),
        (
            protos.data(1, protos.data(1, "n") + protos.number(2, 1)),
            "node 'n': field 2 has wire type 0",
        ),
        (
            protos.graph(node("n", "Op", {"a": protos.data(6, "x")})),
            "node 'n': .*attribute field 6 has wire type 2",
        ),
        (
            protos.graph(node("n", "Op", {"a": protos.number(1, 1)})),
            "attribute's list has wire type 0",
        ),
        (
            protos.graph(node("n", "Op", {"a": protos.data(1, protos.number(2, 1))})),
            "list field 2 has wire type 0",
        ),
        (protos.graph(functions=[protos.data(3, node("n", "Op"))]), "a function without a name"),
        (protos.data(9, ""), "field 9 is not in graph.proto"),
        (protos.data(1, protos.data(1, b"\xff")), "not UTF-8"),
    ],
)
def test_invalid_graph(data: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message):
        _read(data)


_GRAPH = protos.graph(
    node(
        "a",
        "Const",
        {
            "dtype": protos.type_value("float32"),
            "value": protos.tensor_value("float32", (2,), bytes(8)),
        },
    ),
    node(
        "b", "If", {"then_branch": protos.function_value("f"), "Tin": protos.types_value("float32")}
    ),
    functions=[protos.function("f", node("c", "Relu", {"T": protos.type_value("float32")}))],
)


@given(st.integers(0, len(_GRAPH) - 1))
def test_truncated_anywhere(length: int) -> None:
    """A file truncated at any byte is an error, unless it ends between two nodes."""
    try:
        assert len(_read(_GRAPH[:length])) <= 3
    except WireError as error:
        assert str(error)


@given(
    st.lists(
        st.tuples(st.integers(0, len(_GRAPH) - 1), st.integers(0, 255)), min_size=1, max_size=8
    )
)
def test_damaged_anywhere(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(_GRAPH)
    for place, byte in changes:
        damaged[place] = byte
    try:
        _read(bytes(damaged))
    except WireError as error:
        assert str(error)


def test_nodes_share_equal_values() -> None:
    attrs = {"T": protos.type_value("float32")}
    first, second = _read(protos.graph(node("a", "Relu", attrs), node("b", "Relu", attrs)))
    assert first.op is second.op
    assert first.attrs is second.attrs


def test_nodes_can_be_iterated_repeatedly() -> None:
    data = protos.graph(
        node("a", "Relu"),
        functions=[protos.function("F", node("b", "Elu")), protos.function("G", node("c", "Elu"))],
    )
    nodes = _graph(data).nodes
    rows = [("", "a", "Relu"), ("F", "b", "Elu"), ("G", "c", "Elu")]
    for _ in range(2):
        assert [(use.function, use.node, use.op) for use in nodes] == rows
    assert len(nodes) == 3
    assert NodeUse("m.pb", "G", "c", "Elu", "", {}) in nodes
    assert NodeUse("m.pb", "F", "c", "Elu", "", {}) not in nodes


_FIELDS = [
    protos.data(1, "name"),
    protos.data(2, "Op"),
    protos.data(3, "in"),
    protos.data(3, "^" + "i" * 200),
    protos.data(4, "/cpu:0"),
    protos.data(5, protos.data(1, "T") + protos.data(2, protos.type_value("float32"))),
    protos.data(5, protos.data(1, "s") + protos.data(2, protos.string_value("x" * 600))),
    protos.data(7, "later"),
]


@given(st.lists(st.sampled_from(_FIELDS), max_size=9))
def test_fields_in_any_order(fields: list[bytes]) -> None:
    """The fast path returns the same as the general reader, or leaves the node to it."""
    data = protos.data(2, "Op") + b"".join(fields)
    expected = graph_def._any_node(data, 0, len(data), "m", "")
    assert graph_def.node(data, 0, len(data), "m", "") == expected


@pytest.mark.parametrize(
    ("part", "limit"),
    [(protos.data(3, ""), 60_000), (protos.data(5, protos.data(1, "k")), 20_000)],
    ids=["inputs", "attributes"],
)
def test_node_with_too_many_parts(part: bytes, limit: int) -> None:
    assert _read(protos.graph(protos.data(2, "Op") + part * (limit // 3)))
    with pytest.raises(WireError, match="too many small parts"):
        _read(protos.graph(protos.data(2, "Op") + part * (3 * limit)))


def test_too_many_functions() -> None:
    function = protos.data(1, protos.data(1, protos.data(1, "F")))
    assert _read(protos.data(2, function * 5_000)) == []
    with pytest.raises(WireError, match="too many small parts"):
        _read(protos.data(2, function * 20_000))


def test_too_many_dimensions() -> None:
    assert _attr(protos.data(7, protos.shape(*[1] * 254))) == AttrValue("shape", (1,) * 254)
    with pytest.raises(WireError, match="a shape with more than 254 dimensions"):
        _attr(protos.data(7, protos.shape(*[1] * 255)))
