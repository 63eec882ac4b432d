"""Tests of a model's summary."""

from pathlib import Path

import protos
import pytest
from protos import node

from tfcarve.errors import InvalidInput
from tfcarve.models.read import read
from tfcarve.models.summary import Tensor, summary


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
    found = summary(read(path))
    assert found.inputs == (Tensor("x", "Placeholder", "float32", (-1, 4)),)
    assert found.outputs == (Tensor("y", "MatMul", "float32", None),)
    assert found.parameters == 12 + 3 + 2
    assert (found.nodes, found.functions) == (7, 1)
    assert found.ops[:2] == (("Const", 2), ("VarHandleOp", 2))


@pytest.mark.parametrize(
    ("dimensions", "valid"), [((2**62,), True), ((2**62, 2), False), ((2**62,) * 250, False)]
)
def test_largest_shape(dimensions: tuple[int, ...], valid: bool, tmp_path: Path) -> None:
    path = tmp_path / "m.pb"
    path.write_bytes(
        protos.graph(node("w", "Const", {"value": protos.tensor_value("float32", dimensions)}))
    )
    if valid:
        assert summary(read(path)).parameters == 2**62
    else:
        with pytest.raises(
            InvalidInput,
            match="m.pb: node 'w': a shape with more than 9223372036854775807 elements",
        ):
            summary(read(path))
