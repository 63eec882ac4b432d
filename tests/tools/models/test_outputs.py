"""Tests of finding the probable outputs of graphs that do not state them."""

from __future__ import annotations

import node_lines
import pytest

from tfcarve.models import outputs
from tfcarve.models.node_use import NodeUse

# What a training graph of TensorFlow 1 has, besides the prediction.
_TRAINING = """
t Placeholder
loss/sub Sub {head} t
loss Mean loss/sub
gradients/loss_grad/Reshape Reshape loss
train/update_w/Apply ApplyGradientDescent w gradients/loss_grad/Reshape
train NoOp ^train/update_w/Apply
w/Assign Assign w k
save/filename PlaceholderWithDefault k
save/SaveV2 SaveV2 save/filename w
save/control_dependency Identity save/filename ^save/SaveV2
save/Assign Assign w k
report MergeSummary loss
accuracy/Mean Mean loss/sub
"""
_BASE = "k Const\nw VariableV2\nx Placeholder\n"


class _Types:
    """Assign and Apply… return references, Save… and NoOp nothing."""

    def dtype(self, use: NodeUse) -> str:
        return "float32"

    def returns_values(self, use: NodeUse) -> bool:
        return not use.op.startswith(("Assign", "Apply", "Save", "NoOp"))


def _ranked(text: str) -> list[str]:
    """Returns the nodes that no other node reads and that may be outputs, the most probable ones first."""
    uses = node_lines.nodes(text)
    read = {name.lstrip("^").partition(":")[0] for use in uses for name in use.inputs}
    depending = outputs.dependents(uses)
    ranks = {u.node: outputs.rank(u, depending, _Types()) for u in uses if u.node not in read}
    found = [(rank, name) for name, rank in ranks.items() if rank is not None]
    return [name for _, name in sorted(found)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x Placeholder\ny Relu x\n", ["y"]),
        ("x Placeholder\na Relu x\nb Softmax x\nhead/output Identity x", ["b", "head/output", "a"]),
        ("x Placeholder\ny Relu x\nk Const\nread Identity k", ["y"]),
        ("k Const\ny Identity k", ["y"]),  # without inputs, any node may be an output
        ("y Relu x\nx Placeholder", ["y"]),
        ("x PlaceholderWithDefault k\nk Const\ny Relu x", ["y"]),
        ("x Placeholder\np PlaceholderWithDefault k\nk Const\ny Relu x\nz Relu p", ["y"]),
        ("x Placeholder\ny NoOp ^x\nz Relu x", ["z"]),
        ("x Placeholder\nlosses/y Relu x\nlossless Relu x", ["lossless"]),
        (_BASE + "y Softmax x\ny/class ArgMax y" + _TRAINING.format(head="y"), ["y/class"]),
        (_BASE + "y Softmax x" + _TRAINING.format(head="y"), []),
    ],
)
def test_probable_outputs(text: str, expected: list[str]) -> None:
    assert _ranked(text) == expected


def test_nodes_in_reverse_order_take_few_passes() -> None:
    text = "".join(f"c{i} Relu c{i + 1}\n" for i in range(node_lines.MANY))
    assert len(outputs.dependents(node_lines.nodes(f"{text}c{node_lines.MANY} Placeholder"))) < 20
