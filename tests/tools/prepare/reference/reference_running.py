"""Applies a list of transforms with TensorFlow's transform_graph and with tfcarve, and compares the graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import prepared
import tensorflow as tf
from prepared import Array, tf1
from reference_graphs import Sample

from demo.transform_graph import TransformGraph
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import parse

_OUTPUTS = ("y",)
# The name of sparsify_gather's node that initializes its tables.
_FILLS_TABLES = "group_deps"
Node = tuple[Any, ...]


class Rejected(Exception):
    """TensorFlow can't load or run a graph; the text is its message."""


@dataclass(frozen=True)
class Tools:
    """The two tools.

    Attributes:
      reference: TensorFlow's program.
      evaluator: TensorFlow for tfcarve.
      folder: the folder for files that they write.
    """

    reference: TransformGraph
    evaluator: Evaluator
    folder: Path


def run_reference(tools: Tools, sample: Sample, transforms: str, seconds: float = 60) -> Any:
    """Returns the GraphDef that TensorFlow's program writes; raises TransformFailed if it fails."""
    model, created = tools.folder / "model.pb", tools.folder / "created.pb"
    model.write_bytes(sample.definition.SerializeToString())
    command = tools.reference.command(model, created, sample.feeds, _OUTPUTS, transforms)
    tools.reference.run(command, seconds)
    return tf1.GraphDef.FromString(created.read_bytes())


def run_tfcarve(tools: Tools, sample: Sample, transforms: str) -> Any:
    """Returns the GraphDef that tfcarve writes."""
    graph = prepared.from_tensorflow(sample.definition)
    inputs = list(sample.feeds)
    created = pipeline.transform(graph, parse(transforms), inputs, _OUTPUTS, tools.evaluator)
    return tf1.GraphDef.FromString(graph_file.to_bytes(created))


def _input(text: str) -> str:
    return text.removesuffix(":0")


def _value(attr: Any) -> Any:
    """Returns an attribute in a canonical form, independent of its encoding."""
    if attr.HasField("tensor"):
        array = tf.make_ndarray(attr.tensor)
        return array.dtype.str, array.shape, array.tobytes()
    return attr.SerializeToString(deterministic=True)


def nodes(definition: Any) -> dict[str, Node]:
    """Returns the content of each node, by name, in the order of the graph, with sorted control inputs."""
    found = {}
    for node in definition.node:
        data = [_input(text) for text in node.input if not text.startswith("^")]
        waits = sorted({text for text in node.input if text.startswith("^")})
        attrs = {key: _value(attr) for key, attr in node.attr.items()}
        assert node.name not in found
        found[node.name] = (node.op, data, waits, node.device, attrs)
    return found


def differences(a: Mapping[str, Node], b: Mapping[str, Node]) -> list[str]:
    """Returns a line for each node that differs."""
    names = sorted(a.keys() | b.keys())
    return [f"{n}: {a.get(n)} is not {b.get(n)}" for n in names if a.get(n) != b.get(n)]


def _ran(definition: Any, feeds: Mapping[str, Array]) -> Array:
    """Returns the output, computed by TensorFlow without optimizations; tables are initialized before."""
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
    """Returns the largest difference between the outputs of two GraphDefs for the sample.

    It is infinite if the shapes differ or a value is not finite. Raises Rejected if TensorFlow can't run one.
    """
    try:
        first, second = (_ran(definition, sample.feeds) for definition in (a, b))
    except (ValueError, tf.errors.OpError) as error:
        raise Rejected(str(error)) from None
    if first.shape != second.shape:
        return math.inf
    far = float(np.abs(first.astype(np.float64) - second).max(initial=0))
    return math.inf if math.isnan(far) else far
