"""Tests of a model's summary."""

from pathlib import Path

import flat
import protos
import pytest
from protos import node

from tfcarve.errors import InvalidInput
from tfcarve.models.read import read
from tfcarve.models.summary import MissingInput, Summary, Tensor, summary
from tfcarve.models.summary_lines import lines
from tfcarve.models.values import Values
from tfcarve.releases import known
from tfcarve.validity import op_types


def _summary(path: Path) -> Summary:
    model = read(path)
    return summary(model, op_types.of_model(model, known.release()))


def test_summary(tmp_path: Path) -> None:
    float32 = protos.type_value("float32")
    graph = protos.graph(
        node("x", "Placeholder", {"dtype": float32, "shape": protos.data(7, protos.shape(-1, 4))}),
        node("w", "Const", {"dtype": float32, "value": protos.tensor_value("float32", (4, 3))}),
        node("v", "VarHandleOp", {"dtype": float32, "shape": protos.data(7, protos.shape(3))}),
        node("u", "VarHandleOp", {"dtype": float32, "shape": protos.data(7, protos.number(3, 1))}),
        node("y", "MatMul", {"T": float32}, inputs=["x:0", "w", "^v"]),
        node("init", "NoOp", inputs=["^u"]),
        functions=[
            protos.function("f", node("c", "Const", {"value": protos.tensor_value("int32", (2,))}))
        ],
    )
    path = tmp_path / "m.pb"
    path.write_bytes(graph)
    found = _summary(path)
    assert found.inputs == (Tensor("x", "Placeholder", "float32", (-1, 4)),)
    assert found.outputs == (Tensor("y", "MatMul", "float32", None),)
    assert found.parameters == 12 + 3 + 2
    assert (found.nodes, found.functions) == (7, 1)
    assert [*found.ops.items()][:2] == [("Const", 2), ("VarHandleOp", 2)]
    assert found.variables == (
        Tensor("v", "VarHandleOp", "float32", (3,)),
        Tensor("u", "VarHandleOp", "float32", None),
    )
    assert found.constant_values == Values(2, 14, 12 * 4 + 2 * 4, 0)
    assert found.variable_values == Values(2, 3, 12, 0)
    assert found.control_edges == 2
    assert found.devices == {} and found.missing_inputs == () and found.remark == ""


def test_devices_strings_and_missing_inputs(tmp_path: Path) -> None:
    string = protos.tensor_value("string", (3,))
    graph = protos.graph(
        node("c", "Const", {"value": string}, "/cpu:0"),
        node("e", "Const", {"value": protos.tensor_value("string", (0,))}),
        node("y", "Mine", None, "/cpu:0", ["c", "gone:1", "^lost"]),
        node("train", "Assign"),
    )
    path = tmp_path / "m.pb"
    path.write_bytes(graph)
    found = _summary(path)
    assert found.devices == {"/cpu:0": 2}
    assert found.constant_values == Values(2, 3, 0, 1)
    assert found.missing_inputs == (MissingInput("y", "gone:1"), MissingInput("y", "^lost"))
    assert [tensor.name for tensor in found.outputs] == ["y"]
    assert list(lines(found)) == [
        "inputs: 0",
        "outputs: 1",
        "  y  Mine  type unknown  shape unknown",
        "parameters: 3",
        "  2 constants: 3 values, 0 bytes, without 1 of unknown size",
        "  0 variables: 0 values, 0 bytes",
        "nodes: 4 with 3 ops, in the graph and 0 functions",
        "       2  Const",
        "       1  Assign",
        "       1  Mine",
        "control edges: 1",
        "nodes by device:",
        "       2  /cpu:0",
        "inputs that do not exist: 2: the file is damaged",
        "  gone:1 of y",
        "  ^lost of y",
    ]


def test_signatures_and_variables_as_text(tmp_path: Path) -> None:
    float32 = protos.type_value("float32")
    graph = protos.graph(
        node("x", "Placeholder", {"dtype": float32}),
        node("v", "VarHandleOp", {"dtype": float32, "shape": protos.data(7, protos.shape(3))}),
    )
    path = tmp_path / "saved_model.pb"
    signature = protos.signature(["x:0"], ["x:0"])
    path.write_bytes(
        protos.saved_model(protos.meta_graph(graph, "serve", signatures={"s": signature}))
    )
    assert list(lines(_summary(path)))[:11] == [
        "signatures: 1",
        "  s",
        "    input  k0 = x:0  type unknown  shape unknown",
        "    output k0 = x:0  type unknown  shape unknown",
        "inputs: 1",
        "  x  Placeholder  float32  shape unknown",
        "outputs: 1",
        "  x  Placeholder  float32  shape unknown",
        "other nodes that no node reads: 1",
        "       1  VarHandleOp",
        "variables: 1",
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "m.tflite", flat.model([], []),
            ["no TensorFlow ops (Flex ops): TensorFlow Lite runs this model by itself", "inputs: 0", "outputs: 0"],
        ),
        ("ops.json", b'[["Add", "A<b>"], ["B", null]]', ["an ops list: requests 2 ops by name"]),
    ],
)  # fmt: skip
def test_models_without_a_graph(
    name: str, content: bytes, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert list(lines(_summary(path))) == expected


def test_flex_ops(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    options = flat.flex_options(b"Add", node("sum", "Add", inputs=["of TensorFlow Lite"]))
    path.write_bytes(flat.model(["FlexAdd"], [(0, options)]))
    found = _summary(path)
    assert found.ops == {"Add": 1}
    assert not found.outputs and not found.missing_inputs
    assert next(lines(found)).startswith("a TensorFlow Lite model: only its TensorFlow ops")


@pytest.mark.parametrize(
    ("dimensions", "valid"), [((2**62,), True), ((2**62, 2), False), ((2**62,) * 250, False)]
)
def test_largest_shape(dimensions: tuple[int, ...], valid: bool, tmp_path: Path) -> None:
    path = tmp_path / "m.pb"
    path.write_bytes(
        protos.graph(node("w", "Const", {"value": protos.tensor_value("float32", dimensions)}))
    )
    if valid:
        assert _summary(path).parameters == 2**62
    else:
        with pytest.raises(
            InvalidInput,
            match="m.pb: node 'w': a shape with more than 9223372036854775807 elements",
        ):
            _summary(path)


def test_long_lists_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "m.pb"
    path.write_bytes(protos.graph(*(node(f"y{i}", "A", inputs=[f"z{i}"]) for i in range(10_003))))
    found = _summary(path)
    assert found.unlisted == {"outputs": 3, "missing_inputs": 3}
    assert len(found.outputs) == len(found.missing_inputs) == 10_000
    shown = list(lines(found))
    assert "outputs: 10003" in shown
    assert "inputs that do not exist: 10003: the file is damaged" in shown
    assert shown.count("  and 3 more") == 2
