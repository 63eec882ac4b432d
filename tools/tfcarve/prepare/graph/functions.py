"""Converts function bodies to graphs and back, so that transforms work on both.

In a body an input is "argument" or "node:output_name:i"; in a graph all outputs of a node are numbered. Source: the
comments of FunctionDef in tensorflow/core/framework/function.proto, NameRangesForNode in
tensorflow/core/framework/node_def_util.cc.
"""

import re
from collections.abc import Iterable, Mapping

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, ref
from tfcarve.prepare.graph.messages import FunctionDef, FunctionDefLibrary, NodeDef, OpDef

OpDefs = Mapping[str, OpDef]

# The number of a tensor in an output of several.
_INDEX = re.compile(r"[0-9]{1,9}")


class UnsupportedBody(Exception):
    """The body has an unknown op or an invalid reference; it is not transformed."""


def output_sizes(node: NodeDef, op_defs: OpDefs) -> list[tuple[str, int]]:
    """Returns the names of a node's output arguments and the number of tensors in each; raises UnsupportedBody."""
    op = op_defs.get(node.op)
    if op is None:
        raise UnsupportedBody(node.op)
    found = []
    for arg in op.output_arg:
        key = arg.number_attr or arg.type_list_attr
        if key and (key not in node.attr or node.attr[key].placeholder):
            raise UnsupportedBody(f"{node.name}: {key}")
        size = 1
        if arg.number_attr:
            size = node.attr[key].i
        elif arg.type_list_attr:
            size = len(node.attr[key].list.type)
        found.append((arg.name, size))
    return found


def with_functions(op_defs: OpDefs, library: FunctionDefLibrary) -> OpDefs:
    """Returns the OpDefs with the signatures of a library's functions: a node's op may be a function's name."""
    return {**op_defs, **{f.signature.name: f.signature for f in library.function}}


def called(listed: Iterable[NodeDef]) -> set[str]:
    """Returns the names of the functions that nodes may call: their ops, and the functions in attributes."""
    found = set()
    for node in listed:
        found.add(node.op)
        for value in node.attr.values():
            if value.HasField("func"):
                found.add(value.func.name)
            found.update(function.name for function in value.list.func)
    return found


def by_name(library: FunctionDefLibrary) -> dict[str, FunctionDef]:
    """Returns the functions of a library by name."""
    return {function.signature.name: function for function in library.function}


def _reached(nodes: Iterable[NodeDef], bodies: Mapping[str, FunctionDef]) -> set[str]:
    """Returns the names of the functions that nodes call, directly or indirectly."""
    used: set[str] = set()
    todo = called(nodes) & bodies.keys()
    while todo:
        used |= todo
        todo = {name for key in todo for name in called(bodies[key].node_def)}
        todo = (todo & bodies.keys()) - used
    return used


def called_functions(
    nodes: Iterable[NodeDef], bodies: Mapping[str, FunctionDef]
) -> FunctionDefLibrary:
    """Returns the functions that the nodes of a function call, directly or indirectly, sorted by name."""
    library = FunctionDefLibrary()
    library.function.extend(bodies[name] for name in sorted(_reached(nodes, bodies)))
    return library


def used_functions(graph: Graph) -> FunctionDefLibrary:
    """Returns the functions that a graph calls, directly or indirectly; all gradient definitions stay."""
    used = _reached(graph.nodes, by_name(graph.library))
    library = FunctionDefLibrary()
    library.function.extend(f for f in graph.library.function if f.signature.name in used)
    library.gradient.extend(graph.library.gradient)
    library.registered_gradients.extend(graph.library.registered_gradients)
    return library


def _first(node: NodeDef, output: str, op_defs: OpDefs) -> int:
    index = 0
    for name, size in output_sizes(node, op_defs):
        if name == output:
            return index
        index += size
    raise UnsupportedBody(f"{node.name}:{output}")


def _flat(text: str, known: Mapping[str, NodeDef], args: set[str], op_defs: OpDefs) -> Ref:
    """Converts an input in a body to one in the graph."""
    if text.startswith("^"):
        return ref(text)
    name, *rest = text.split(":")
    if name in args:
        return Ref(name)
    index = rest[1] if len(rest) > 1 else "0"
    if name not in known or not rest or not _INDEX.fullmatch(index):
        raise UnsupportedBody(text)
    return Ref(name, _first(known[name], rest[0], op_defs) + int(index))


def _nested(source: Ref, known: Mapping[str, NodeDef], args: set[str], op_defs: OpDefs) -> str:
    """Converts an input in the graph to one in a body."""
    if source.output < 0:
        return source.text()
    if source.node in args:
        return source.node
    index = source.output
    for name, size in output_sizes(known[source.node], op_defs):
        if index < size:
            return f"{source.node}:{name}:{index}"
        index -= size
    raise UnsupportedBody(source.text())


def body(function: FunctionDef, op_defs: OpDefs) -> tuple[Graph, tuple[str, ...], tuple[str, ...]]:
    """Returns a function's body as a graph, its inputs (the arguments, as Placeholders) and its outputs.

    The outputs include the function's control outputs. Raises UnsupportedBody if the body can't be converted.
    """
    args = {arg.name for arg in function.signature.input_arg}
    if any(a.number_attr or a.type_list_attr for a in function.signature.input_arg):
        raise UnsupportedBody(function.signature.name)
    listed = []
    for arg in function.signature.input_arg:
        placeholder = nodes.make("Placeholder", arg.name, ())
        key = arg.type_attr
        value = function.attr[key].type if key and key in function.attr else arg.type
        placeholder.attr["dtype"].type = value
        listed.append(placeholder)
    own = [nodes.copy(node) for node in function.node_def]
    known = {node.name: node for node in own}
    for node in own:
        node.input[:] = [_flat(text, known, args, op_defs).text() for text in node.input]
    returned = [_flat(text, known, args, op_defs).text() for text in function.ret.values()]
    returned += list(function.control_ret.values())
    return Graph(listed + own), tuple(sorted(args)), tuple(dict.fromkeys(returned))


def result_ref(function: FunctionDef, output: str, op_defs: OpDefs) -> Ref:
    """Returns the tensor of a body's graph that a function returns for an output argument."""
    args = {arg.name for arg in function.signature.input_arg}
    known = {node.name: node for node in function.node_def}
    if output not in function.ret:
        raise UnsupportedBody(f"no value for {output!r}")
    return _flat(function.ret[output], known, args, op_defs)


def replace_body(function: FunctionDef, before: Graph, after: Graph, op_defs: OpDefs) -> None:
    """Replaces the body of `function`, which is `before` as a graph, with `after`.

    Raises UnsupportedBody, and does not modify the function, if `after` can't be converted.
    """
    args = {arg.name for arg in function.signature.input_arg}
    old = {node.name: node for node in before.nodes}
    own = [nodes.copy(node) for node in after.nodes if node.name not in args]
    known = {node.name: node for node in own}
    returned = {}
    for key, text in function.ret.items():
        source = _flat(text, old, args, op_defs)
        returned[key] = _nested(source, known, args, op_defs)
    for node in own:
        node.input[:] = [_nested(ref(text), known, args, op_defs) for text in node.input]
    del function.node_def[:]
    function.node_def.extend(own)
    function.ret.update(returned)
