"""A list of transforms by TensorFlow's transform_graph and by tfcarve, and what compares their graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import prepared
import tensorflow as tf
from oracle_graphs import Sample
from prepared import Array, tf1

from demo.transform_graph import TransformGraph
from tfcarve.prepare import graph_file, pipeline
from tfcarve.prepare.evaluate import Evaluator
from tfcarve.prepare.transform_list import parse

_OUTPUTS = ("y",)
# What sparsify_gather calls the node that fills its tables.
_FILLS_TABLES = "group_deps"
Node = tuple[Any, ...]


class Refused(Exception):
    """TensorFlow can't load or run a graph; the text is its message."""


@dataclass(frozen=True)
class Tools:
    """What transforms.

    Attributes:
      oracle: TensorFlow's program.
      evaluator: TensorFlow for tfcarve.
      folder: for files that they write.
    """

    oracle: TransformGraph
    evaluator: Evaluator
    folder: Path


def theirs(tools: Tools, sample: Sample, transforms: str, seconds: float = 60) -> Any:
    """Returns the GraphDef that TensorFlow's program makes; raises TransformFailed where it makes none."""
    model, made = tools.folder / "model.pb", tools.folder / "made.pb"
    model.write_bytes(sample.definition.SerializeToString())
    command = tools.oracle.command(model, made, sample.feeds, _OUTPUTS, transforms)
    tools.oracle.run(command, seconds)
    return tf1.GraphDef.FromString(made.read_bytes())


def ours(tools: Tools, sample: Sample, transforms: str) -> Any:
    """Returns the GraphDef that tfcarve makes."""
    graph = prepared.from_tensorflow(sample.definition)
    inputs = list(sample.feeds)
    made = pipeline.transform(graph, parse(transforms), inputs, _OUTPUTS, tools.evaluator)
    return tf1.GraphDef.FromString(graph_file.to_bytes(made))


def _input(text: str) -> str:
    return text.removesuffix(":0")


def _value(attr: Any) -> Any:
    """Returns an attribute so that equal ones are equal however they are written."""
    if attr.HasField("tensor"):
        array = tf.make_ndarray(attr.tensor)
        return array.dtype.str, array.shape, array.tobytes()
    return attr.SerializeToString(deterministic=True)


def nodes(definition: Any) -> dict[str, Node]:
    """Returns what each node is, by its name, in the order of the graph; inputs that it waits for are sorted."""
    found = {}
    for node in definition.node:
        data = [_input(text) for text in node.input if not text.startswith("^")]
        waits = sorted({text for text in node.input if text.startswith("^")})
        attrs = {key: _value(attr) for key, attr in node.attr.items()}
        assert node.name not in found
        found[node.name] = (node.op, data, waits, node.device, attrs)
    return found


def differences(a: Mapping[str, Node], b: Mapping[str, Node]) -> list[str]:
    """Returns a line for each node that is not the same in both."""
    names = sorted(a.keys() | b.keys())
    return [f"{n}: {a.get(n)} is not {b.get(n)}" for n in names if a.get(n) != b.get(n)]


def _ran(definition: Any, feeds: Mapping[str, Array]) -> Array:
    """Returns the output, computed by TensorFlow, which optimizes nothing; tables are filled before."""
    config = tf1.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph, tf1.Session(config=config) as session:
        tf.import_graph_def(definition, name="")
        if _FILLS_TABLES in {op.name for op in graph.get_operations()}:
            session.run(_FILLS_TABLES)
        fed = {f"{name}:0": value for name, value in feeds.items()}
        return np.asarray(session.run("y:0", fed))


def distance(sample: Sample, a: Any, b: Any) -> float:
    """Returns the largest difference of what two GraphDefs give for the sample.

    It is infinite where the shapes differ or something is no number. Raises Refused where TensorFlow can't run one.
    """
    try:
        first, second = (_ran(definition, sample.feeds) for definition in (a, b))
    except (ValueError, tf.errors.OpError) as error:
        raise Refused(str(error)) from None
    if first.shape != second.shape:
        return math.inf
    far = float(np.abs(first.astype(np.float64) - second).max(initial=0))
    return math.inf if math.isnan(far) else far
