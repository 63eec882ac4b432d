"""The checks of a graph that is to be loaded, compared with TensorFlow's own."""

from __future__ import annotations

import contextlib
from functools import cache

import prepared
import programs
import tensorflow as tf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from prepared import tf1
from programs import Condition, Loop

import extent
from tfcarve.errors import InvalidInput
from tfcarve.prepare.checks.load_check import LoadCheck
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.graph_check import check
from tfcarve.prepare.graph.messages import AttrValue

_MUTATIONS = extent.of(150, 3000)
_REWIRINGS = extent.of(40, 1000)
# The messages about shapes and values, which are not checked, have the whole node.
_OF_SHAPES = "for '{{node "


@cache
def _graph() -> Graph:
    """Returns a valid graph with nodes of many forms."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [1, 4, 4, 2], name="x")
        y = tf.nn.conv2d(x, prepared.noise(3, 3, 2, 4), 1, "SAME")
        low, high = tf.split(y, [1, 3], 3)
        parts = tf.concat([low, high, tf.cast(tf.argmax(y, 3, name="best")[..., None], y.dtype)], 3)
        variable = tf1.get_variable("v", [5], use_resource=False)
        y = tf.identity_n([tf.reduce_sum(parts + variable), tf.shape(x)])[0]
        switched = tf.raw_ops.Switch(data=y, pred=y > 0.0)
        tf.raw_ops.Merge(inputs=list(switched), name="merged")
        tf.add(tf.function(lambda a: a * 2.0)(y), 1.0, name="y")
        tf.strings.as_string(y, name="text")

    return prepared.drawn(draw)


def _faults(graph: Graph, evaluator: Evaluator) -> list[str]:
    found = LoadCheck(evaluator.op_defs).faults(graph, ("x",), ("y",))
    return [fault.text() for fault in found]


def test_a_valid_graph(evaluator: Evaluator) -> None:
    assert _faults(_graph(), evaluator) == []


_VALUES = (
    AttrValue(type=nodes.INT32),
    AttrValue(type=101),
    AttrValue(type=0),
    AttrValue(i=0),
    AttrValue(i=3),
    AttrValue(f=1.0),
    AttrValue(b=True),
    AttrValue(s=b"SAME"),
    AttrValue(s=b"other"),
    nodes.ints_value((1, 1, 1, 1)),
    nodes.shape_value((1, 2)),
    AttrValue(),
)


@st.composite
def _mutated(draw: st.DrawFn) -> Graph:
    """Draws a graph in which one node differs."""
    graph = prepared.copy(_graph())
    node = draw(st.sampled_from(graph.nodes))
    names = [other.name for other in graph.nodes]
    kind = draw(st.sampled_from(("value", "remove", "input", "more", "less", "op", "name")))
    if kind in ("value", "remove"):
        assume(node.attr)
        key = draw(st.sampled_from(sorted(node.attr)))
        if kind == "remove":
            del node.attr[key]
        else:
            node.attr[key].CopyFrom(draw(st.sampled_from(_VALUES)))
    elif kind == "op":
        node.op = draw(st.sampled_from([other.op for other in graph.nodes]))
    elif kind == "name":
        node.name = draw(st.sampled_from(("1a", "a b", "/a", "a/b", "a:0", "_a")))
    elif kind == "more":
        node.input.insert(0, draw(st.sampled_from(names)))
    else:
        assume(node.input)
        place = draw(st.integers(0, len(node.input) - 1))
        if kind == "less":
            del node.input[place]
        else:
            source = Ref(draw(st.sampled_from(names)), draw(st.integers(0, 2)))
            node.input[place] = source.text()
    return graph


_NAMES = (
    "a",
    "1",
    ".a",
    "a.b-c_d/",
    "a>b",
    "a>b>.c",
    "_a",
    "-a",
    "/a",
    "a b",
    "a:0",
    "a\\b",
    ">a",
    "a>",
    "a>>b",
    "a>_b",
    "é",
)


def test_names(evaluator: Evaluator) -> None:
    """TensorFlow accepts the same names of nodes."""
    verdicts = {}
    for name in _NAMES:
        graph = prepared.copy(_graph())
        (node,) = (node for node in graph.nodes if node.name == "text")
        node.name = name
        try:
            with evaluator.loaded(graph):
                accepted = True
        except Failed:
            accepted = False
        verdicts[name] = accepted, _faults(graph, evaluator) == []
    assert {name for name, (theirs, ours) in verdicts.items() if theirs != ours} == set()
    assert {theirs for theirs, _ in verdicts.values()} == {True, False}


@settings(max_examples=_MUTATIONS, derandomize=True)
@given(graph=_mutated())
def test_the_verdict_is_that_of_tensorflow(graph: Graph, evaluator: Evaluator) -> None:
    try:
        check(graph)
    except InvalidInput:
        assume(False)
    try:
        with evaluator.loaded(graph):
            refused = ""
    except Failed as error:
        refused = str(error)
    faults = _faults(graph, evaluator)
    if faults and not refused:
        # TensorFlow compares these when the node runs.
        assert all("the type of its value is not its dtype" in text for text in faults), faults
    elif refused and not faults:
        assert _OF_SHAPES in refused


_FRAMED = [Loop(2, ["a division", Condition(["a bias"], [Loop(1, ["a table"])])])]


@st.composite
def _rewired(draw: st.DrawFn) -> Graph:
    """Draws a graph with loops in which one node lost its control inputs, or reads another tensor of the same type."""
    graph = prepared.copy(_framed())
    found = [node for node in graph.nodes if node.input and node.op != "Placeholder"]
    node = draw(st.sampled_from(found))
    if draw(st.booleans()):
        node.input[:] = [text for text in node.input if not text.startswith("^")]
        return graph
    place = draw(st.integers(0, len(node.input) - 1))
    is_control = node.input[place].startswith("^")
    new = draw(st.sampled_from(graph.nodes)).name
    node.input[place] = f"^{new}" if is_control else new
    return graph


@cache
def _framed() -> Graph:
    return programs.drawn(_FRAMED, "frames")


def _is_rejected(graph: Graph) -> bool:
    """Returns whether TensorFlow says that a node is in two frames; drops graphs that it does not load."""
    try:
        prepared.ran(graph, {"x": programs.inputs()[0]}, ["y"])
    except tf.errors.OpError as error:
        return "different frames" in error.message or "Invalid loop structure" in error.message
    except ValueError:
        assume(False)
    return False


def test_frames_that_tensorflow_accepts(evaluator: Evaluator) -> None:
    graph = _framed()
    assert _faults(graph, evaluator) == []
    assert not _is_rejected(graph)


@settings(max_examples=_REWIRINGS, derandomize=True)
@given(graph=_rewired())
def test_frames_that_tensorflow_rejects(graph: Graph, evaluator: Evaluator) -> None:
    with contextlib.suppress(InvalidInput):
        check(graph)
        faults = _faults(graph, evaluator)
        assume(all("loop" in fault for fault in faults))
        assert bool(faults) == _is_rejected(graph)
