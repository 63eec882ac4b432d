"""Decides whether the loop of an LSTM can become one BlockLSTMV2, and plans the replacement of its results. Pure.

Source: tensorflow/core/kernels/rnn/lstm_ops.cc. The kernel reads seq_len_max rows of x without a check, so the number
of iterations must provably be the first dimension of x. An unknown number may be 0, and then the op does not compute
the loop's last output and final states. The list of all outputs, which TensorFlow can't stack for 0 iterations if it
does not know the shape, becomes a tensor without rows.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.prepare.control_flow.loops import Loop, Scope
from tfcarve.prepare.evaluate.inference import Outputs, output_of, shape_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import CONTROL, Ref, control_inputs, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.recurrent.lstm import Lstm

# Output numbers of BlockLSTMV2.
_CELLS, _OUTPUTS = 1, 6
# The length of a chain of ReverseV2 ops that is followed.
_MAX_REVERSALS = 10
_MASKS = ("begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask")


@dataclass(frozen=True)
class Result:
    """A result of a loop that other nodes read.

    Attributes:
      tensor: the output of a TensorListStack, an Exit or a While.
      output: the output number of BlockLSTMV2 with its values.
      rows: "all" rows of that output [T, B, U], the "last" one [B, U], or the "only" one [1, B, U], which is the last.
      stays: whether a node with its name must exist.
    """

    tensor: Ref
    output: int
    rows: str
    stays: bool


@dataclass(frozen=True)
class Plan:
    """The replacement of a loop.

    Attributes:
      loop: the loop.
      lstm: the LSTM that it computes.
      results: the results that other nodes read.
      steps: the number of iterations; -1 if it is unknown.
    """

    loop: Loop
    lstm: Lstm
    results: tuple[Result, ...]
    steps: int


@dataclass(frozen=True)
class LoopContext:
    """The graph around loops.

    Attributes:
      scope: the nodes that the app does not feed.
      users: the consumers of each tensor and control dependency.
      output_nodes: the names of the nodes that the app fetches.
      outputs: types and shapes, by node.
    """

    scope: Scope
    users: Mapping[Ref, Sequence[NodeDef]]
    output_nodes: Container[str]
    outputs: Outputs


def _is_isolated(loop: Loop, context: LoopContext) -> bool:
    """Returns whether no node in a loop is fed, fetched (except results) or has control outputs to other nodes."""
    for name in loop.own:
        node = context.scope.nodes.get(name)
        if node is None or (name in context.output_nodes and node.op != "Exit"):
            return False
        control_users = context.users.get(Ref(name, CONTROL), ())
        if any(user.name not in loop.own for user in control_users):
            return False
    return True


def _integers(source: Ref, scope: Scope) -> list[int]:
    """Returns the flattened values of an integer constant, or an empty list for any other tensor."""
    found = scope.producer(source, ("Const",))
    values = nodes.value(found) if found is not None else None
    return values.reshape(-1).tolist() if values is not None and values.dtype.kind == "i" else []


def _index(node: NodeDef, scope: Scope) -> int | None:
    """Returns the index that a StridedSlice takes along the first dimension, or None if it takes something else."""
    read = data_inputs(node)
    if node.op != "StridedSlice" or len(read) != 4:
        return None
    if any(key in node.attr and node.attr[key].i for key in _MASKS):
        return None
    if "shrink_axis_mask" not in node.attr or node.attr["shrink_axis_mask"].i != 1:
        return None
    begin, step = (_integers(source, scope) for source in (read[1], read[3]))
    return begin[0] if len(begin) == 1 and step == [1] else None


def _stacked(stack: NodeDef, is_last: bool, context: LoopContext) -> Result:
    """Returns the result that is a TensorListStack of a list with all outputs, or with only the last output."""
    tensor = Ref(stack.name)
    control_users = context.users.get(Ref(stack.name, CONTROL))
    stays = bool(stack.name in context.output_nodes or control_users or control_inputs(stack))
    # The last row of all outputs is also the last row of a list with only the last output.
    takes_last = all(
        _index(node, context.scope) == -1
        and [index for index, source in enumerate(data_inputs(node)) if source == tensor] == [0]
        for node in context.users.get(tensor, ())
    )
    rows = "only" if is_last and (stays or not takes_last) else "all"
    return Result(tensor, _OUTPUTS, rows, stays)


def _stacks(final: Ref, size: int, context: LoopContext) -> list[NodeDef] | None:
    """Returns the nodes that stack a list of `size` tensors (-1: unknown), or None if any other node reads it."""
    readers = context.users.get(final, ())
    for node in readers:
        if node.op != "TensorListStack" or node.name not in context.scope.nodes:
            return None
        known = node.attr["num_elements"].i if "num_elements" in node.attr else -1
        read = data_inputs(node)
        if len(read) != 2 or read[0] != final or known not in (-1, size):
            return None
    return list(readers)


def _fails_as(result: Result, element: Ref, stack: NodeDef, scope: Scope) -> bool:
    """Returns whether the last output of 0 iterations is an error both before and after the replacement.

    For a missing list element TensorFlow uses zeros if the list's element shape `element` or the TensorListStack
    determines the shape; otherwise it fails. Taking the last row of an empty tensor fails too; taking all rows does
    not.
    """
    known = [_integers(source, scope) for source in (element, data_inputs(stack)[1])]
    unknown = any(size == other == -1 for size, other in zip(*known, strict=False))
    return unknown and result.rows == "all"


def _results(loop: Loop, lstm: Lstm, steps: int, context: LoopContext) -> list[Result] | None:
    """Returns the results of a loop that other nodes read, or None if BlockLSTMV2 does not compute one of them."""
    found: list[Result] = []
    finals = [(number, f) for number, v in enumerate(loop.variables) for f in v.finals]
    for number, final in finals:
        is_output = final.node in context.output_nodes
        if not is_output and final not in context.users:
            continue
        if number in (lstm.cell.h, lstm.cell.c) and steps > 0:
            output = _OUTPUTS if number == lstm.cell.h else _CELLS
            found.append(Result(final, output, "last", is_output))
            continue
        last = lstm.last.get(number)
        stacks = _stacks(final, steps if last is None else 1, context)
        if is_output or stacks is None or (last is None and number not in lstm.every):
            return None
        for stack in stacks:
            result = _stacked(stack, last is not None, context)
            if last is not None and steps < 1 and not _fails_as(result, last, stack, context.scope):
                return None
            found.append(result)
    return found


def _unreversed(source: Ref, scope: Scope) -> Ref:
    """Returns the tensor that `source` is equal to except for reversals."""
    for _ in range(_MAX_REVERSALS):
        reversal = scope.producer(source, ("ReverseV2",))
        if reversal is None:
            break
        source = data_inputs(reversal)[0]
    return scope.origin(source)


def _is_length(size: Ref, x: Ref, steps: int, context: LoopContext) -> bool:
    """Returns whether `size` is the first dimension of `x`, which is `steps` if the number is known."""
    scope = context.scope
    element = scope.producer(size, ("StridedSlice",))
    if element is None:
        return steps >= 0 and _integers(size, scope) == [steps]
    index, whole = _index(element, scope), data_inputs(element)[0]
    if index is None or index < 0:
        return False
    shape = scope.producer(whole, ("Shape",))
    if shape is not None:
        return _is_dimension(data_inputs(shape)[0], index, x, steps, context)
    return steps >= 0 and _integers(whole, scope)[index:][:1] == [steps]


def _is_dimension(measured: Ref, index: int, x: Ref, steps: int, context: LoopContext) -> bool:
    """Returns whether a dimension of a tensor is the first dimension of `x`."""
    if index == 0 and _unreversed(measured, context.scope) == _unreversed(x, context.scope):
        return True
    dims = shape_of(measured, context.outputs)
    return dims is not None and index < len(dims) and dims[index] == steps >= 0


def _fits(loop: Loop, lstm: Lstm, context: LoopContext) -> bool:
    """Returns whether x is [T, B, I] and both states are [B, U], all float32; B may be unknown."""
    x = output_of(lstm.x, context.outputs)
    if x is None or x.shape is None or len(x.shape) != 3 or x.dtype != nodes.FLOAT:
        return False
    if x.shape[2] not in (-1, lstm.features):
        return False
    for number in (lstm.cell.h, lstm.cell.c):
        state = output_of(loop.variables[number].start, context.outputs)
        if state is None or state.dtype != nodes.FLOAT or state.shape is None:
            return False
        if state.shape not in ((-1, lstm.units), (x.shape[1], lstm.units)):
            return False
    return True


def plan(loop: Loop, lstm: Lstm, context: LoopContext) -> Plan | None:
    """Returns the replacement of a loop, or None if it can't be replaced.

    Args:
      loop: the loop.
      lstm: the LSTM that it computes.
      context: the graph around the loop.
    Raises InvalidInput if a constant is damaged.
    """
    if not _is_isolated(loop, context) or not _fits(loop, lstm, context):
        return None
    x = shape_of(lstm.x, context.outputs)
    steps = x[0] if x else -1
    if any(count != steps or steps < 0 for count in lstm.counts):
        return None
    if not all(_is_length(s, lstm.x, steps, context) for s in (*lstm.sizes, *lstm.every.values())):
        return None
    results = _results(loop, lstm, steps, context)
    return Plan(loop, lstm, tuple(results), steps) if results else None
