"""New attributes are dropped as TensorFlow's own rules do, for every row of the data."""

from __future__ import annotations

from typing import Any

import newer_nodes
import pytest
import tensorflow as tf
from newer_nodes import OTHER
from tensorflow.core.framework import attr_value_pb2, node_def_pb2
from tensorflow.python.framework import importer, op_def_registry

from tfcarve.errors import InvalidInput
from tfcarve.newer import data, graph
from tfcarve.newer.data import NewAttribute
from tfcarve.newer.values import value_of
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.messages import GraphDef
from tfcarve.releases import known

_NEWER = data.load(known.release())
_ROWS = _NEWER.data.attributes
_IDS = [f"{row.op}.{row.attribute}" for row in _ROWS]
# With another value than the default, these are dropped as well.
_WITHOUT_EFFECT = {
    (op, name) for row in _NEWER.dropped for op in row.ops for name in row.attributes
}
_MESSAGE = "NodeDef mentions attribute"


def _drop(whole: Any) -> bool:
    return graph.drop(whole.node, whole.library.function, _NEWER)


def _node(whole: Any, op: str) -> Any:
    (node,) = (node for node in whole.node if node.op == op)
    return node


def _imported(whole: Any) -> Any:
    """Imports a graph into the installed TensorFlow, and returns what it then contains."""
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(whole, name="")
    return imported.as_graph_def()


def test_all_nodes_of_2_21_are_imported_without_a_complaint(
    capfd: pytest.CaptureFixture[str],
) -> None:
    cleaned = newer_nodes.graph()
    assert _drop(cleaned)
    _imported(cleaned)
    assert _MESSAGE not in capfd.readouterr().err
    # The control: TensorFlow complains about the attributes, and ignores them.
    _imported(newer_nodes.graph())
    assert _MESSAGE in capfd.readouterr().err


def test_what_is_dropped_is_what_tensorflow_drops() -> None:
    cleaned, expected = newer_nodes.graph(), newer_nodes.graph()
    _drop(cleaned)
    importer._RemoveDefaultAttrs(newer_nodes.definitions(), expected)
    assert list(cleaned.node) == list(expected.node)
    assert cleaned != newer_nodes.graph()
    # TensorFlow's function ignores bodies of functions, which its C++ code handles in the same way.
    (body,), (original,) = (whole.library.function for whole in (cleaned, newer_nodes.graph()))
    nodes = tf.compat.v1.GraphDef(node=original.node_def)
    importer._RemoveDefaultAttrs(newer_nodes.definitions(), nodes)
    assert list(body.node_def) == list(nodes.node) != list(original.node_def)


@pytest.mark.parametrize("row", _ROWS, ids=_IDS)
def test_the_default_of_each_attribute_is_dropped(row: NewAttribute) -> None:
    whole = newer_nodes.graph_of(row, row.default)
    # The control: TensorFlow does not drop it.
    assert row.attribute in _node(whole, row.op).attr
    _drop(whole)
    known = {attr.name for attr in op_def_registry.get(row.op).attr}
    assert set(_node(whole, row.op).attr) <= known
    assert not graph.findings(whole.node, whole.library.function, _NEWER).attributes
    (imported,) = _imported(tf.compat.v1.GraphDef(node=_with_inputs(whole, row.op))).node[-1:]
    assert imported.op == row.op
    assert row.attribute not in imported.attr


def _with_inputs(whole: Any, op: str) -> list[Any]:
    """The node of an op, and the nodes that it reads."""
    node = _node(whole, op)
    read = {text.partition(":")[0] for text in node.input}
    return [*(other for other in whole.node if other.name in read), node]


@pytest.mark.parametrize("row", _ROWS, ids=_IDS)
def test_another_value_is_refused_unless_it_changes_nothing(row: NewAttribute) -> None:
    whole = newer_nodes.graph_of(row, OTHER[row.type])
    before = newer_nodes.graph_of(row, OTHER[row.type])
    harmless = (row.op, row.attribute) in _WITHOUT_EFFECT and row.attribute != "bad_indices_policy"
    _drop(whole)
    assert (row.attribute in _node(whole, row.op).attr) is not harmless
    found = graph.findings(whole.node, whole.library.function, _NEWER)
    assert found.ops == ()
    if harmless:
        assert found.attributes == ()
        return
    # TensorFlow's rule does not remove it either.
    importer._RemoveDefaultAttrs(newer_nodes.definitions(), before)
    assert row.attribute in _node(before, row.op).attr
    with pytest.raises(InvalidInput) as caught:
        found.require()
    for part in (row.op, row.attribute, f"{row.first} is the first release", repr(row.default)):
        assert part in str(caught.value)


def test_policies_for_indices() -> None:
    row = _NEWER.attributes["ScatterNd"]["bad_indices_policy"]
    dropped = {
        policy: graph.drop([_node(newer_nodes.graph_of(row, policy), row.op)], [], _NEWER)
        for policy in ("", "DEFAULT", "ERROR", "IGNORE", "error")
    }
    assert dropped == {"": True, "DEFAULT": True, "ERROR": True, "IGNORE": False, "error": False}


def _product(**attrs: Any) -> Any:
    return node_def_pb2.NodeDef(name="m", op="MatMul", input=["a", "b"], attr=attrs)


def test_other_attributes_stay() -> None:
    true = attr_value_pb2.AttrValue(b=True)
    node = _product(transpose_a=true, _grad_a=true, no_attribute=true, grad_a=true)
    assert graph.drop([node], [], _NEWER)
    assert set(node.attr) == {"transpose_a", "_grad_a", "no_attribute"}
    assert not graph.drop([node], [], _NEWER)


def test_calls_of_functions_are_not_changed() -> None:
    """A function may have the name of an op."""
    whole = newer_nodes.graph()
    whole.library.function[0].signature.name = "ScatterNd"
    before = newer_nodes.graph()
    assert _drop(whole)
    assert _node(whole, "ScatterNd") == _node(before, "ScatterNd")


def test_a_placeholder_in_a_function_is_refused() -> None:
    """The caller of a function decides its value."""
    node = node_def_pb2.NodeDef(name="s", op="ScatterNd")
    node.attr["bad_indices_policy"].placeholder = "policy"
    assert not graph.drop([node], [], _NEWER)
    assert graph.findings([node], [], _NEWER).attributes
    node.attr["bad_indices_policy"].Clear()
    assert not graph.drop([node], [], _NEWER)


def test_messages_of_tfcarve_are_read_as_those_of_tensorflow() -> None:
    for row in _ROWS:
        for content in (row.default, OTHER[row.type]):
            message = newer_nodes.value(row.type, content)
            assert value_of(message).value == pytest.approx(content)
            own = type(GraphDef().node.add().attr["x"]).FromString(message.SerializeToString())
            assert value_of(own) == value_of(message)


def test_findings_name_the_first_node_and_count_the_others() -> None:
    nodes = [node_def_pb2.NodeDef(name=f"f{i}", op="FFTND") for i in range(3)]
    nodes += [node_def_pb2.NodeDef(name="d", op="DecodeWebP")]
    first, second = graph.findings(nodes, [], _NEWER).ops
    assert first.startswith("node 'f0' and 2 more: op 'FFTND' is newer than TensorFlow 2.14.1")
    assert "2.15 is the first release that has it" in first
    assert second.startswith("node 'd': op 'DecodeWebP'")
    assert "2.20 is the first release" in second


def test_findings_of_hostile_graphs_are_bounded() -> None:
    nodes = [node_def_pb2.NodeDef(name=f"f{i}", op="ScatterNd") for i in range(1000)]
    for i, node in enumerate(nodes):
        node.attr["bad_indices_policy"].s = str(i).encode()
    assert len(graph.findings(nodes, [], _NEWER).attributes) == 100


def test_a_dropped_graph_is_written_and_read() -> None:
    whole = graph_file.from_message(GraphDef.FromString(newer_nodes.graph().SerializeToString()))
    assert graph.drop(whole.nodes, whole.library.function, _NEWER)
    expected = newer_nodes.graph()
    _drop(expected)
    assert tf.compat.v1.GraphDef.FromString(graph_file.to_bytes(whole)) == expected
