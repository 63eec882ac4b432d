"""A transform that makes an invalid graph is reported with the node, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import prepared
import programs
import pytest
import tensorflow as tf
from prepared import tf1
from programs import Loop

from tfcarve import cli
from tfcarve.errors import InternalError, InvalidInput
from tfcarve.prepare import transforms
from tfcarve.prepare.context import Context
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file, nodes
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.graph.messages import AttrValue

pytestmark = pytest.mark.usefixtures("reused")

Change = Callable[[Graph], None]


def _graph() -> Graph:
    return programs.drawn([Loop(2, ["a division"])], "frames")


def _division(graph: Graph) -> str:
    (name,) = (node.name for node in graph.nodes if node.op == "RealDiv")
    return name


def _without_frame(graph: Graph) -> None:
    divisor = by_name(graph)[_division(graph)].input[1]
    del by_name(graph)[divisor].input[:]


def _of_another_type(graph: Graph) -> None:
    divisor = by_name(graph)[_division(graph)].input[1]
    by_name(graph)[divisor].attr["dtype"].type = nodes.INT32


def _without_attribute(graph: Graph) -> None:
    del by_name(graph)[_division(graph)].attr["T"]


def _with_missing_output(graph: Graph) -> None:
    by_name(graph)[_division(graph)].input[0] += ":1"


def _with_missing_input(graph: Graph) -> None:
    by_name(graph)[_division(graph)].input[0] = "nothing"


def _twice(graph: Graph) -> None:
    graph.nodes.append(nodes.copy(by_name(graph)[_division(graph)]))


def _in_a_cycle(graph: Graph) -> None:
    division = by_name(graph)[_division(graph)]
    reader = next(n for n in graph.nodes if division.name in n.input)
    division.input[0] = reader.name


def _with_other_shape(graph: Graph) -> None:
    (pad,) = (node for node in graph.nodes if node.op == "Pad")
    pads = nodes.constant(pad.input[1], np.zeros((3, 2), np.int32), ())
    by_name(graph)[pad.input[1]].CopyFrom(pads)


_CHANGES = {
    _without_frame: "is outside of loops",
    _of_another_type: "the type of its value is not its dtype",
    _without_attribute: "the attribute 'T' of RealDiv is missing",
    _with_missing_output: "does not exist: the node has 1 outputs",
    _with_missing_input: "its input 'nothing' is not a node of the graph",
    _twice: "two nodes have this name",
    _in_a_cycle: "depends on itself",
}


def _broken(monkeypatch: pytest.MonkeyPatch, name: str, change: Change) -> None:
    """Makes a transform change the graph."""
    load = transforms.load

    def apply(graph: Graph, context: Context) -> Graph:
        created = load(name).apply(graph, context)
        change(created)
        return created

    broken = SimpleNamespace(
        PARAMETERS=frozenset[str](),
        IN_FUNCTIONS=False,
        CAN_BREAK_GRAPHS=load(name).CAN_BREAK_GRAPHS,
        apply=apply,
    )
    monkeypatch.setattr(transforms, "load", lambda other: broken if other == name else load(other))


@pytest.mark.parametrize("change", _CHANGES, ids=lambda change: change.__name__)
def test_a_broken_transform(
    change: Change, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The control: the transforms themselves are right.
    prepared.transformed(_graph(), "remove_device compact_constants", evaluator)
    _broken(monkeypatch, "remove_device", change)
    with pytest.raises(InternalError) as raised:
        prepared.transformed(_graph(), "compact_constants remove_device add_default_attributes", evaluator)  # fmt: skip
    message = str(raised.value)
    assert message.startswith("remove_device: makes a graph that TensorFlow rejects: node '")
    assert _CHANGES[change] in message
    assert message.endswith("this is an error in tfcarve: please report it with the model")


@pytest.mark.parametrize("change", [_without_frame, _with_other_shape])
def test_nothing_is_written(
    change: Change,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    graph_file.write_graph(Path("m.pb"), _graph())
    words = ["transform", "m.pb", "-o", "n.pb", "--transforms", "remove_device compact_constants"]
    assert cli.main(words) == 0
    Path("n.pb").unlink()
    _broken(monkeypatch, "remove_device", change)
    assert cli.main(words) == 3
    assert "tfcarve: m.pb: remove_device: makes a graph" in capsys.readouterr().err
    assert not Path("n.pb").exists()


def test_the_error_of_a_transform_can_be_ignored(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    _broken(monkeypatch, "remove_device", _without_frame)
    before = _graph()
    after = prepared.transformed(before, "remove_device(ignore_errors=true)", evaluator)
    assert after.nodes == before.nodes


def test_a_function_that_a_transform_breaks(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = transforms.load

    def apply(graph: Graph, context: Context) -> Graph:
        for node in graph.nodes:
            if context.in_function and node.op == "Mul":
                node.attr["T"].CopyFrom(AttrValue(i=1))
        return graph

    broken = SimpleNamespace(
        PARAMETERS=frozenset[str](), IN_FUNCTIONS=True, CAN_BREAK_GRAPHS=False, apply=apply
    )
    monkeypatch.setattr(transforms, "load", lambda name: broken if name == "set_device" else load(name))  # fmt: skip

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2], name="x")
        tf.identity(tf.function(lambda v: v * 2.0)(x), name="y")

    graph = prepared.drawn(draw)
    (function,) = (f.signature.name for f in graph.library.function)
    where = rf"function '{function}': node 'mul': the attribute 'T' of Mul is not of type type"
    with pytest.raises(InternalError, match=where):
        prepared.transformed(graph, "set_device", evaluator)


def test_an_invalid_model(evaluator: Evaluator) -> None:
    """A fault of the model is no error of a transform, and a transform may repair it."""
    graph = _graph()
    unused = nodes.make("Exp", "unused", ())
    unused.input.append("x")
    graph.nodes.append(unused)
    where = "rejects this model: node 'unused': the attribute 'T' of Exp is missing"
    with pytest.raises(InvalidInput, match=where):
        prepared.transformed(graph, "compact_constants", evaluator)
    prepared.transformed(graph, "strip_unused_nodes", evaluator)


def test_frames_of_nodes_that_nothing_needs(evaluator: Evaluator) -> None:
    """TensorFlow removes such nodes before it checks frames."""
    graph = _graph()
    unused = nodes.make("Exp", "unused", (), T=nodes.type_value(nodes.FLOAT))
    unused.input.extend([_division(graph), "^x"])
    graph.nodes.append(unused)
    prepared.transformed(graph, "compact_constants", evaluator)
    with pytest.raises(InvalidInput, match="rejects this model: node 'unused': its input"):
        prepared.transformed(graph, "compact_constants", evaluator, ["y", "unused"])


@pytest.mark.parametrize(
    "transform",
    [
        "rename_op(old_op_name=RealDiv, new_op_name=Less)",
        "remove_attribute(attribute_name=T, op_name=RealDiv)",
        "rename_attribute(old_attribute_name=T, new_attribute_name=S, op_name=RealDiv)",
    ],
)
def test_parameters_that_make_a_graph_invalid(transform: str, evaluator: Evaluator) -> None:
    name = transform.split("(")[0]
    with pytest.raises(InvalidInput, match=rf"^{name}: makes a graph .* pass other parameters$"):
        prepared.transformed(_graph(), f"{transform} compact_constants", evaluator)


def test_a_later_transform_may_repair(evaluator: Evaluator) -> None:
    steps = (
        "rename_attribute(old_attribute_name=T, new_attribute_name=S, op_name=RealDiv) "
        "rename_attribute(old_attribute_name=S, new_attribute_name=T, op_name=RealDiv)"
    )
    before = _graph()
    assert prepared.transformed(before, steps, evaluator).nodes == before.nodes


def test_an_input_in_a_loop(evaluator: Evaluator) -> None:
    graph = _graph()
    name = _division(graph)
    with pytest.raises(InvalidInput, match=rf"^input '{name}' is in the loop 'while/while_context'"):  # fmt: skip
        prepared.transformed(graph, "strip_unused_nodes", evaluator, inputs=["x", name])


@pytest.mark.parametrize("op", ["Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"])
def test_ops_of_loops_are_not_removed(op: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=rf"remove_nodes: op={op}: without its {op} nodes"):
        prepared.transformed(_graph(), f"remove_nodes(op={op})", evaluator)
