"""Runs TensorFlow's own tool, print_selective_registration_header, in this process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

# An op and its kernel class; None: the op has no kernel.
Pair = tuple[str, str | None]

# The ops that the tool's command line adds by default.
_DEFAULTS = "NoOp:NoOp,_Recv:RecvOp,_Send:SendOp"


def pairs(graph: Any) -> frozenset[Pair]:
    """Returns the ops and kernel classes that the tool finds in a GraphDef."""
    from absl import logging
    from tensorflow.python.tools import selective_registration_header_lib as tool

    logging.set_verbosity(logging.ERROR)
    with tempfile.NamedTemporaryFile(suffix=".pb") as file:
        file.write(graph.SerializeToString())
        file.flush()
        found: list[Any] = tool.get_ops_and_kernels("rawproto", [file.name], _DEFAULTS)
    return frozenset((op, clazz or None) for op, clazz in found)


def graph_of(saved_model: Path) -> Any:
    """Returns the GraphDef in a SavedModel, with its functions."""
    from tensorflow.core.protobuf import saved_model_pb2

    read = saved_model_pb2.SavedModel.FromString(saved_model.read_bytes())
    (meta_graph,) = read.meta_graphs
    return meta_graph.graph_def


def without_uncalled(graph: Any) -> Any:
    """Returns the graph without functions that are never called."""
    bodies = {f.signature.name: f.node_def for f in graph.library.function}
    called: set[str] = set()
    todo = [graph.node]
    while todo:
        for node in todo.pop():
            values = node.attr.values()
            named = {node.op, *(v.func.name for v in values)}
            named |= {f.name for v in values for f in v.list.func}
            new = (named & bodies.keys()) - called
            called |= new
            todo += [bodies[name] for name in new]
    reachable = type(graph)()
    reachable.CopyFrom(graph)
    del reachable.library.function[:]
    reachable.library.function.extend(
        f for f in graph.library.function if f.signature.name in called
    )
    return reachable
