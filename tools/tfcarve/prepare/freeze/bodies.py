"""A common form for graphs and function bodies: nodes with inputs in the form of a GraphDef.

In a FunctionDef an input is `node:output_argument:number`. Source: tensorflow/core/framework/function.proto.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.graph.graph import CONTROL
from tfcarve.prepare.graph.messages import ArgDef, AttrValue, FunctionDef, NodeDef

_NO_ARGUMENT_NAME = re.compile(r"[^a-z0-9_]")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function: nodes refer to it by name; `dtype` is a number from types.proto."""

    name: str
    dtype: int


@dataclass(frozen=True, slots=True)
class Result:
    """A result of a function or graph: its name, type and tensor."""

    name: str
    dtype: int
    tensor: str


@dataclass(frozen=True, slots=True)
class Body:
    """A graph, or the body of a function.

    Attributes:
      nodes: the nodes, with unique names; they are never modified in place.
      arguments: the arguments of a function.
      results: the outputs of a graph or the results of a function.
      effects: names of the nodes that always run, whether their outputs are used or not.
    """

    nodes: tuple[NodeDef, ...]
    arguments: tuple[Argument, ...] = ()
    results: tuple[Result, ...] = ()
    effects: tuple[str, ...] = ()


def copied(node: NodeDef) -> NodeDef:
    """Returns a copy of `node`."""
    created = NodeDef()
    created.CopyFrom(node)
    return created


def with_inputs(node: NodeDef, inputs: list[str]) -> NodeDef:
    """Returns `node` with other inputs: data inputs first, as NodeDef requires, each control input once."""
    if list(node.input) == inputs:
        return node
    created = copied(node)
    del created.input[:]
    created.input.extend(i for i in inputs if not i.startswith("^"))
    created.input.extend(dict.fromkeys(i for i in inputs if i.startswith("^")))
    return created


def _type(arg: ArgDef, attrs: Mapping[str, AttrValue], function: str) -> int:
    if arg.number_attr or arg.type_list_attr:
        raise InvalidInput(
            f"function {function!r}: the argument {arg.name!r} is a list, which freezing does not support"
        )
    if arg.type_attr and arg.type_attr not in attrs:
        raise InvalidInput(f"function {function!r}: the argument {arg.name!r} has no type")
    return int(attrs[arg.type_attr].type if arg.type_attr else arg.type)


def _bound(node: NodeDef, attrs: Mapping[str, AttrValue], function: str) -> NodeDef:
    """Returns a copy of `node` whose attribute placeholders are replaced with the caller's attributes."""
    created = copied(node)
    for key in sorted(created.attr):
        value = created.attr[key]
        if value.HasField("placeholder"):
            if value.placeholder not in attrs:
                raise InvalidInput(
                    f"function {function!r}: its caller does not set the attribute {value.placeholder!r}"
                )
            value.CopyFrom(attrs[value.placeholder])
    return created


def _flat(ops: Ops, nodes: Mapping[str, NodeDef], function: str) -> Callable[[str], str]:
    """Returns a function that converts an input in a FunctionDef to one in a GraphDef."""
    starts: dict[str, dict[str, int]] = {}

    def start(name: str, argument: str) -> int:
        if name not in starts:
            found: dict[str, int] = {}
            for number, (output, _) in enumerate(ops.outputs(nodes[name])):
                found.setdefault(output, number)
            starts[name] = found
        return starts[name][argument]

    def flat(text: str) -> str:
        if text.startswith("^"):
            return text
        name, *rest = text.split(":")
        try:
            if name in nodes:
                port = start(name, rest[0]) + (int(rest[1]) if len(rest) > 1 else 0)
                return tensor_names.reference(name, port)
        except (KeyError, IndexError, ValueError):
            raise InvalidInput(
                f"function {function!r}: the tensor {text!r} does not exist"
            ) from None
        return name

    return flat


def from_function(function: FunctionDef, attrs: Mapping[str, AttrValue], ops: Ops) -> Body:
    """Returns the body of a function that is called with the attributes `attrs`.

    Raises InvalidInput if the function is damaged.
    """
    signature = function.signature
    bound = [_bound(node, attrs, signature.name) for node in function.node_def]
    flat = _flat(ops, {node.name: node for node in bound}, signature.name)
    for node in bound:
        inputs = [flat(i) for i in node.input]
        del node.input[:]
        node.input.extend(inputs)
    results = []
    for arg in signature.output_arg:
        if arg.name not in function.ret:
            raise InvalidInput(f"function {signature.name!r}: the result {arg.name!r} is missing")
        kind = _type(arg, attrs, signature.name)
        results.append(Result(arg.name, kind, flat(function.ret[arg.name])))
    arguments = [Argument(a.name, _type(a, attrs, signature.name)) for a in signature.input_arg]
    effects = [function.control_ret.get(name, name) for name in signature.control_output]
    return Body(tuple(bound), tuple(arguments), tuple(results), tuple(effects))


def _nested(ops: Ops, nodes: Mapping[str, NodeDef]) -> Callable[[str], str]:
    """Returns a function that converts an input in a GraphDef to one in a FunctionDef."""
    outputs: dict[str, list[tuple[str, int]]] = {}

    def nested(text: str) -> str:
        name, port = tensor_names.parsed(text)
        if port == CONTROL or name not in nodes:
            return text
        if name not in outputs:
            outputs[name] = ops.outputs(nodes[name])
        found = outputs[name]
        if port >= len(found):
            raise InvalidInput(
                f"the tensor {text!r} does not exist: the node has {len(found)} outputs"
            )
        first = next(n for n, (argument, _) in enumerate(found) if argument == found[port][0])
        return f"{name}:{found[port][0]}:{port - first}"

    return nested


def _argument_names(names: Iterator[str]) -> Iterator[str]:
    used: set[str] = set()
    for name in names:
        base = _NO_ARGUMENT_NAME.sub("_", name.lower())
        found, number = base, 0
        while found in used:
            number += 1
            found = f"{base}_{number}"
        used.add(found)
        yield found


def to_function(name: str, body: Body, ops: Ops) -> FunctionDef:
    """Returns `body` as the function `name`."""
    created = FunctionDef()
    created.signature.name = name
    for argument in body.arguments:
        created.signature.input_arg.add(name=argument.name, type=argument.dtype)
    nested = _nested(ops, {node.name: node for node in body.nodes})
    for node in body.nodes:
        created.node_def.append(with_inputs(node, [nested(i) for i in node.input]))
    for output, result in zip(
        _argument_names(r.name for r in body.results), body.results, strict=True
    ):
        created.signature.output_arg.add(name=output, type=result.dtype)
        created.ret[output] = nested(result.tensor)
    for effect in body.effects:
        created.signature.control_output.append(effect)
        created.control_ret[effect] = effect
    created.signature.is_stateful = any(ops.is_stateful(node) for node in body.nodes)
    return created
