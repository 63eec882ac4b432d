"""Computes the number of iterations of a loop that does not depend on the model's inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import Names
from tfcarve.prepare.freeze.bodies import Body
from tfcarve.prepare.freeze.computed import loaded
from tfcarve.prepare.freeze.known_shapes import with_known_shapes
from tfcarve.prepare.freeze.nodes import make
from tfcarve.prepare.freeze.ops import Ops, functions_of
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import NodeDef, TensorProto

# Computes results of a function from values of its arguments, by number.
_Call = Callable[[Mapping[int, TensorProto]], list[TensorProto]]


def _arguments(body: Body, results: set[int]) -> set[int]:
    """Returns the numbers of the arguments of `body` that the given results need."""
    roots = [parsed(body.results[number].tensor)[0] for number in results]
    names = {*roots, *needed(body.nodes, roots)}
    reached = {parsed(i)[0] for node in body.nodes if node.name in names for i in node.input}
    return {n for n, a in enumerate(body.arguments) if a.name in names | reached}


def _deciding(condition: Body, body: Body) -> set[int]:
    """Returns the loop variables that determine the number of iterations."""
    found = _arguments(condition, {0})
    while True:
        more = found | _arguments(body, found)
        if more == found:
            return found
        found = more


@contextmanager
def _function(body: Body, results: Sequence[int], ops: Ops) -> Iterator[_Call]:
    """Yields a callable that computes some results of a body.

    Raises InvalidInput if the body has side effects or calls functions, or TensorFlow cannot compute the results.
    """
    wanted = [body.results[number] for number in results]
    names = needed(body.nodes, [parsed(result.tensor)[0] for result in wanted])
    nodes = [node for node in body.nodes if node.name in names]
    for node in nodes:
        if ops.is_stateful(node) or any(True for _ in functions_of(node)):
            raise InvalidInput(f"it depends on the node {node.name!r} ({node.op})")
    placeholders = [make(a.name, "Placeholder", [], {"dtype": a.dtype}) for a in body.arguments]
    # TensorFlow's C API does not fetch a tensor that is fed, and a result may be an argument.
    unique = Names(node.name for node in (*placeholders, *nodes))
    outputs = [
        make(unique.unique("result"), "Identity", [result.tensor], {"T": result.dtype})
        for result in wanted
    ]
    with loaded(ops.evaluator, [*placeholders, *nodes, *outputs]) as graph:

        def call(values: Mapping[int, TensorProto]) -> list[TensorProto]:
            feeds = {Ref(body.arguments[number].name): value for number, value in values.items()}
            return graph.run([Ref(node.name) for node in outputs], feeds)

        yield call


def _iterations(
    values: Mapping[int, TensorProto], condition: _Call, step: _Call, most: int
) -> int | None:
    """Returns the number of iterations that start with `values`, or None if there are more than `most`."""
    for number in range(most + 1):
        (goes_on,) = condition(values)
        if not tensors.to_array(goes_on, "condition")[()]:
            return number
        values = dict(zip(values, step(values), strict=True))
    return None


def count(
    loop: NodeDef, functions: Mapping[str, Body], trace: Trace, ops: Ops, max_iterations: int
) -> int:
    """Returns the number of iterations of a While.

    Args:
      loop: the While node.
      functions: the bodies of functions, by name.
      trace: the graph with the node.
      ops: the OpDefs.
      max_iterations: the largest accepted number.
    Raises InvalidInput if the number depends on inputs or on state, or is larger than `max_iterations`.
    """
    condition, body = (functions[loop.attr[role].func.name] for role in ("cond", "body"))
    deciding = sorted(_deciding(condition, body))
    try:
        above = needed(trace.nodes.values(), [parsed(loop.input[n])[0] for n in deciding])
        nodes = [node for node in trace.nodes.values() if node.name in above]
        known = Trace(with_known_shapes(nodes, ops), ops)
        values = {
            n: tensors.from_array(known.value(loop.input[n]), body.arguments[n].dtype)
            for n in deciding
        }
        with (
            _function(condition, [0], ops) as condition_of,
            _function(body, deciding, ops) as step,
        ):
            found = _iterations(values, condition_of, step, max_iterations)
    except InvalidInput as error:
        raise InvalidInput(
            f"node {loop.name!r}: the number of iterations is unknown before the model runs: {error}: remove "
            "--unroll, or make the size that it depends on constant"
        ) from None
    if found is None:
        raise InvalidInput(
            f"node {loop.name!r}: the loop has more iterations than --unroll {max_iterations}"
        )
    return found
