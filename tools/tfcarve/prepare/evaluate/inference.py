"""Type and shape inference by TensorFlow."""

import math
from collections.abc import Collection, Mapping, Sequence

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import functions, nodes
from tfcarve.prepare.graph.graph import Graph, Ref, ref
from tfcarve.prepare.graph.messages import FunctionDefLibrary, NodeDef

Outputs = Mapping[str, Sequence[Output]]

# Constants with more values do not determine shapes: TensorFlow gets only their type and shape.
_MAX_SHAPE_VALUES = 1024


def output_of(source: Ref, known: Outputs) -> Output | None:
    """Returns the type and shape of a tensor, or None if they are unknown."""
    listed = known.get(source.node, ())
    return listed[source.output] if 0 <= source.output < len(listed) else None


def shape_of(source: Ref, known: Outputs) -> tuple[int, ...] | None:
    """Returns the shape of a tensor, with -1 for an unknown dimension, or None if the rank is unknown."""
    output = output_of(source, known)
    return output.shape if output is not None else None


def outputs(graph: Graph, evaluator: Evaluator) -> dict[str, list[Output]]:
    """Returns for each node the types and shapes of its outputs, as far as they can be inferred.

    Nodes that depend on an op that TensorFlow does not have, directly or in a function, are omitted.

    Raises evaluate.Failed if shapes are incompatible or an attribute is invalid.
    """
    known_ops = evaluator.op_defs.keys()
    library = _of_known_functions(graph, known_ops)
    known = _of_known_ops(graph, known_ops, {f.signature.name for f in library.function})
    light = Graph([_light(node) for node in known], library, graph.versions)
    with evaluator.loaded(light) as loaded:
        return loaded.outputs()


def _of_known_functions(graph: Graph, ops: Collection[str]) -> FunctionDefLibrary:
    """Returns the functions that use, directly and in all that they call, only TensorFlow's ops."""
    bodies = {f.signature.name: functions.called(f.node_def) for f in graph.library.function}
    callers: dict[str, list[str]] = {}
    for name, used in bodies.items():
        for callee in used:
            callers.setdefault(callee, []).append(name)
    own = {f.signature.name: {n.op for n in f.node_def} for f in graph.library.function}
    todo = [name for name, used in own.items() if not all(op in ops or op in own for op in used)]
    unknown = set(todo)
    while todo:
        new = [name for name in callers.get(todo.pop(), ()) if name not in unknown]
        unknown.update(new)
        todo += new
    if not unknown:
        return graph.library
    library = FunctionDefLibrary()
    library.function.extend(f for f in graph.library.function if f.signature.name not in unknown)
    return library


def _of_known_ops(graph: Graph, ops: Collection[str], usable: set[str]) -> list[NodeDef]:
    """Returns the nodes that depend only on TensorFlow's ops and on usable functions."""
    missing = {f.signature.name for f in graph.library.function} - usable
    users: dict[str, list[str]] = {}
    for node in graph.nodes:
        for text in node.input:
            users.setdefault(ref(text).node, []).append(node.name)
    todo = [
        node.name
        for node in graph.nodes
        if (node.op not in ops and node.op not in usable)
        or (missing and not missing.isdisjoint(functions.called((node,))))
    ]
    unknown = set(todo)
    while todo:
        new = [name for name in users.get(todo.pop(), ()) if name not in unknown]
        unknown.update(new)
        todo += new
    return [node for node in graph.nodes if node.name not in unknown]


def _light(node: NodeDef) -> NodeDef:
    if node.op != "Const" or math.prod(nodes.shape(node)) <= _MAX_SHAPE_VALUES:
        return node
    tensor = nodes.tensor(node)
    control = [ref(text) for text in node.input]
    return nodes.make(
        "Placeholder",
        node.name,
        control,
        dtype=nodes.type_value(tensor.dtype),
        shape=nodes.shape_value(nodes.shape(node)),
    )
