"""What is to be measured: a model, what it is fed and asked for, how often it runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models.summary import Summary, Tensor

# Those that benchmark_model can make random numbers of (tools/runtime/random_input.cc).
RANDOM_TYPES = frozenset(
    (
        *("float16", "float32", "float64", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark to do.

    Attributes:
      model: a frozen GraphDef.
      inputs: nodes and the .npy files that they are fed.
      random_inputs: nodes and descriptions like "float32:1x299x299x3".
      outputs: nodes to compute.
      threads: to compute with; 0: one a core.
      warmup: runs after the first one that do not count.
      runs: runs that count.
      seconds: as many runs as fit into so many seconds, instead; None: `runs` counts.
      traced_runs: further runs in which each node is timed.
    """

    model: Path
    inputs: tuple[tuple[str, Path], ...]
    random_inputs: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    threads: int
    warmup: int
    runs: int
    seconds: int | None
    traced_runs: int


def _node(name: str) -> str:
    return name.removesuffix(":0")


def _description(tensor: Tensor, model: Path) -> str:
    if tensor.dtype not in RANDOM_TYPES or tensor.shape is None:
        known = tensor.dtype in RANDOM_TYPES
        what = "has no known shape" if known else f"is of type {tensor.dtype or 'unknown'}"
        raise InvalidInput(
            f"{model}: input {tensor.name!r} {what}: give --input {tensor.name}=FILE.npy"
            f" or --input-random {tensor.name}=TYPE:DIMS"
        )
    # A dimension that is open is most often the number of examples.
    return f"{tensor.dtype}:{'x'.join(str(1 if d < 0 else d) for d in tensor.shape)}"


def other_inputs(
    summary: Summary, given: Iterable[str], model: Path
) -> tuple[tuple[str, str], ...]:
    """Returns descriptions of random values for the inputs that are not given; open dimensions are 1.

    Args:
      summary: of the model.
      given: nodes that are fed already.
      model: its file, for messages.
    Raises InvalidInput for an input of a type or a rank that can't be made.
    """
    fed = {_node(name) for name in given}
    return tuple(
        (tensor.name, _description(tensor, model))
        for tensor in summary.inputs
        if tensor.name not in fed and tensor.op != "PlaceholderWithDefault"
    )


def outputs(summary: Summary, model: Path) -> tuple[str, ...]:
    """Returns the nodes that no other reads; raises InvalidInput where there are none."""
    if not summary.outputs:
        raise InvalidInput(f"{model}: every node is read by another: give --output NAME")
    return tuple(tensor.name for tensor in summary.outputs)


def arguments(task: Task) -> Sequence[str]:
    """Returns the command line of benchmark_model for a task, without the program and its --json."""
    length = f"--runs={task.runs}" if task.seconds is None else f"--seconds={task.seconds}"
    return [
        str(task.model.absolute()),
        *(f"--input={name}={path.absolute()}" for name, path in task.inputs),
        *(f"--input-random={name}={described}" for name, described in task.random_inputs),
        *(f"--output={name}" for name in task.outputs),
        f"--threads={task.threads}",
        f"--warmup={task.warmup}",
        length,
        f"--traced-runs={task.traced_runs}",
    ]
