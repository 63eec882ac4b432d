"""Freezes a loaded graph: from Loaded to GraphDef."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tfcarve.errors import InvalidInput
from tfcarve.newer.data import Newer
from tfcarve.prepare.control_flow.frames import Frames
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.freeze import defaults, finish, fixed, tables
from tfcarve.prepare.freeze.assemble import Assembled, assembled
from tfcarve.prepare.freeze.bodies import Body
from tfcarve.prepare.freeze.checkpoint import Checkpoint
from tfcarve.prepare.freeze.conditions import without_constant_conditions
from tfcarve.prepare.freeze.convert import converted
from tfcarve.prepare.freeze.effects import without_effects
from tfcarve.prepare.freeze.finder import Finder, variables
from tfcarve.prepare.freeze.inline import Program, inlined
from tfcarve.prepare.freeze.interface import Port, interface, shape_of
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.lower import lowered
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import needed, pruned
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.freeze.unroll import unrolled
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, topological_order
from tfcarve.prepare.graph.graph_check import check_constants
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.inputs import training_inputs


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen graph with its inputs and outputs, and notes for the user."""

    graph: Graph
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    notes: tuple[str, ...] = ()


def _checkpoint(loaded: Loaded, request: Request, evaluator: Evaluator) -> Checkpoint | None:
    options = request.options
    prefix = options.checkpoint or loaded.variables
    name = options.checkpoint or f"{request.name}/variables/variables"
    return Checkpoint(prefix, name, options.moving_averages, evaluator) if prefix else None


def _restoring(nodes: list[NodeDef], ops: Ops) -> Iterator[str]:
    """Yields the nodes of a plain GraphDef that initialize its tables or restore its variables."""
    trace = Trace(nodes, ops)
    for node in nodes:
        if node.op in tables.INITIALIZERS:
            yield node.name
        elif node.op in ("Assign", "AssignVariableOp") and len(node.input) >= 2:
            value, _ = trace.origin(node.input[1])
            if value is not None and value.op == "RestoreV2":
                yield node.name


def _placeholders(body: Body) -> tuple[Port, ...]:
    return tuple(
        Port(n.name, n.name, n.name, n.attr["dtype"].type, shape_of(n))
        for n in body.nodes
        if n.op == "Placeholder"
    )


def _check_imports(graph: Graph, evaluator: Evaluator) -> None:
    """Raises InvalidInput if TensorFlow rejects the graph because of its types, its shapes or a cycle."""
    try:
        with evaluator.loaded(graph):
            pass
    except Failed as error:
        raise InvalidInput(f"TensorFlow rejects the frozen graph: {reason(error)}") from None


def _check_frames(graph: Graph, outputs: Sequence[str]) -> None:
    """Raises InvalidInput if TensorFlow rejects the graph because a node reads tensors of different loops."""
    names = needed(graph.nodes, outputs)
    used = Graph([node for node in graph.nodes if node.name in names])
    for name, what in Frames(topological_order(used)).faults.items():
        raise InvalidInput(f"TensorFlow rejects the frozen graph: node {name!r}: {what}")


def _program(
    loaded: Loaded, source: Assembled, inputs: Sequence[str], request: Request, ops: Ops
) -> tuple[Program, tuple[str, ...]]:
    """Returns the graph of `source` with inlined calls and constants for variables and tables, and notes.

    The Placeholders `inputs` stay whether they are used or not.
    """
    functions = loaded.graph.library.function
    body = pruned(source.body, inputs)
    for nodes in (body.nodes, *(function.node_def for function in functions)):
        check_constants(nodes)
    program = inlined(body, functions, inputs, ops)
    new = {old: name for name, old in source.renamed.items()}
    sources = tables.Sources(
        Trace(program.main.nodes, ops),
        {new.get(node, node): path for node, path in loaded.assets.items()},
        _checkpoint(loaded, request, ops.evaluator),
        ops.evaluator,
    )
    main = pruned(replace(program.main, effects=()), inputs)
    program = Program(main, program.functions)
    notes = tuple(defaults.notes(program, inputs))
    program = defaults.with_defaults(program, inputs)
    find = Finder(sources, source.renamed, request)
    program = without_constant_conditions(program, inputs, lambda node: find(node).value, ops)
    keeps_assertions = request.options.assertions == "keep"
    removed = without_effects(program, inputs, keeps_assertions, ops)
    find.require(variables(removed.program))
    constant = converted(removed.program, find, ops)
    most = request.options.unroll
    return (unrolled(constant, most, ops) if most else constant), (*notes, *removed.notes)


def frozen(loaded: Loaded, request: Request, evaluator: Evaluator, newer: Newer) -> Frozen:
    """Returns the frozen graph.

    Args:
      loaded: the graph of the model.
      request: the request.
      evaluator: TensorFlow.
      newer: the ops that are newer than the release of the request.

    Raises InvalidInput if a requested name does not exist, or the graph cannot be frozen.
    """
    ops = Ops(loaded.graph.library.function, evaluator, newer)
    if request.kind == "graphdef" and not request.options.outputs:
        every = _placeholders(Body(tuple(loaded.graph.node)))
        return Frozen(graph_file.from_message(loaded.graph), every, ())
    restoring = _restoring(list(loaded.graph.node), ops)
    preparing = tuple(dict.fromkeys((*loaded.preparing, *restoring)))
    loaded = replace(loaded, preparing=preparing)
    wanted = interface(loaded, request.options, ops, request.name)
    values = fixed.values(loaded, wanted, request.options)
    wanted = fixed.without_inputs(wanted, values)
    source = assembled(fixed.with_constants(loaded, values), wanted)
    names = [port.name for port in wanted.inputs or ()]
    program, notes = _program(loaded, source, names, request, ops)
    inputs = wanted.inputs
    if inputs is None:
        inputs = _placeholders(pruned(program.main))
        names = [port.name for port in inputs]
    graph = finish.graph(program, names, loaded.graph, ops)
    outputs = [port.name for port in wanted.outputs]
    if request.options.lower_control_flow:
        graph = lowered(graph, names, outputs)
    _check_imports(graph, evaluator)
    _check_frames(graph, outputs)
    if not request.options.inputs:
        notes = (*notes, *training_inputs.notes(graph.nodes, names))
    return Frozen(graph, inputs, wanted.outputs, notes)
