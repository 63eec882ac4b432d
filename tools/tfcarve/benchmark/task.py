"""A benchmark to run: a model, its inputs and outputs, and the number of runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.client.arrays import RANDOM_TYPES
from tfcarve.errors import InvalidInput
from tfcarve.models.summary import Summary, Tensor


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark to run.

    Attributes:
      model: a frozen GraphDef.
      inputs: nodes and the .npy files with their values.
      random_inputs: nodes and descriptions like "float32:1x299x299x3".
      outputs: nodes to compute.
      threads: number of compute threads; 0: one per core.
      warmup: number of runs between the first run and the measured ones.
      runs: number of measured runs.
      seconds: measures for this long, whatever `runs` says; None: measures `runs` runs.
      traced_runs: number of runs, after the measured ones, in which each node is timed.
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
        what = "has no known shape" if known else f"has type {tensor.dtype or 'unknown'}"
        raise InvalidInput(
            f"{model}: input {tensor.name!r} {what}: pass --input {tensor.name}=FILE.npy"
            f" or --input-random {tensor.name}=TYPE:DIMS"
        )
    # An unknown dimension usually is the batch size.
    return f"{tensor.dtype}:{'x'.join(str(1 if d < 0 else d) for d in tensor.shape)}"


def other_inputs(summary: Summary, fed: Iterable[str], model: Path) -> tuple[tuple[str, str], ...]:
    """Returns descriptions of random values for the other inputs; unknown dimensions are 1.

    Args:
      summary: of the model.
      fed: tensors that have values already.
      model: its file, for messages.

    Raises InvalidInput for an input whose type has no random values or whose rank is unknown.
    """
    nodes = {_node(name) for name in fed}
    return tuple(
        (tensor.name, _description(tensor, model))
        for tensor in summary.inputs
        if tensor.name not in nodes and tensor.op != "PlaceholderWithDefault"
    )


def outputs(summary: Summary, model: Path) -> tuple[str, ...]:
    """Returns the nodes that no other node reads; raises InvalidInput if there are no such nodes."""
    if not summary.outputs:
        raise InvalidInput(f"{model}: every node is an input of another node: pass --output NAME")
    return tuple(tensor.name for tensor in summary.outputs)


def arguments(task: Task) -> Sequence[str]:
    """Returns the arguments of benchmark_model for a task, except --json."""
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
