"""Command lines that run and measure a model, with its own inputs, shapes and outputs. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tfcarve.client.arrays import RANDOM_TYPES
from tfcarve.json_codec import JsonDocument
from tfcarve.models import keras
from tfcarve.models.model_functions import ModelFunction
from tfcarve.models.node_names import frozen_names
from tfcarve.models.saved_functions import FunctionTensor
from tfcarve.models.signature_def import Signature, SignatureTensor, node_of
from tfcarve.models.summary import Summary

# A graph with more outputs has leftovers of training: an app does not fetch so many.
_MAX_TENSORS = 20
_NOT_GRAPHS = ("tflite-flex", "ops-list")
_CHECKPOINT = ("--checkpoint", "PREFIX")
_PREFIX = "PREFIX is the checkpoint with the values of the variables"


class CommandLines(JsonDocument, frozen=True):
    """Command lines.

    Attributes:
      commands: the words of each command line.
      remark: a condition for their use, or the reason why there are no command lines; "" otherwise.
    """

    commands: tuple[tuple[str, ...], ...]
    remark: str


@dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan: the options with which the model is frozen first, or None; its inputs and outputs; a remark."""

    freeze: tuple[str, ...] | None
    inputs: Sequence[_Tensor]
    outputs: Sequence[_Tensor]
    remark: str = ""


class _NoCommands(Exception):
    """There are no command lines; the text is the reason."""


def _require_expressible(tensors: Iterable[_Tensor]) -> None:
    for found in tensors:
        if not found.name or "=" in found.name or not found.name.isprintable():
            raise _NoCommands(f"the name {found.name!r} cannot be passed on a command line")


def _options(option: str, values: Iterable[str]) -> Iterator[str]:
    for value in values:
        # A value that looks like an option must be in the same word.
        yield from ([f"{option}={value}"] if value.startswith("-") else [option, value])


def _word(path: PurePath) -> str:
    return f"./{path}" if str(path).startswith("-") else str(path)


def _bound(tensors: Iterable[_Tensor]) -> Iterator[str]:
    """Yields NAME=FILE.npy for each tensor, with different files."""
    taken: set[str] = set()
    for found in tensors:
        stem = file = re.sub(r"[^A-Za-z0-9_.-]", "_", found.name)
        number = 1
        while file in taken:
            number += 1
            file = f"{stem}_{number}"
        taken.add(file)
        yield f"{found.name}={file}.npy"


def _benchmarked(inputs: Sequence[_Tensor]) -> Iterator[str]:
    for found, bound in zip(inputs, _bound(inputs), strict=True):
        if found.dtype not in RANDOM_TYPES or found.shape is None:
            yield from _options("--input", [bound])
            continue
        dims = "x".join(str(1 if size < 0 else size) for size in found.shape)
        yield from _options("--input-random", [f"{found.name}={found.dtype}:{dims}"])


def _running(
    model: PurePath, inputs: Sequence[_Tensor], outputs: Sequence[_Tensor]
) -> Iterator[tuple[str, ...]]:
    _require_expressible([*inputs, *outputs])
    if not outputs:
        raise _NoCommands("every node is an input of another node: choose outputs with --outputs")
    for side, option in ((inputs, "inputs"), (outputs, "outputs")):
        if len(side) > _MAX_TENSORS:
            raise _NoCommands(f"it has {len(side)} {option}: choose some with --{option}")
    file = _word(model)
    input_words, output_words = (
        _options("--input", _bound(inputs)),
        _options("--output", _bound(outputs)),
    )
    yield ("run_model", file, *input_words, *output_words)
    measured = (*_benchmarked(inputs), *_options("--output", [found.name for found in outputs]))
    yield ("benchmark_model", file, *measured)
    yield ("tfcarve", "benchmark", "benchmark_model", file, *measured)


def _of_graph(summary: Summary) -> tuple[list[_Tensor], list[_Tensor]]:
    inputs, outputs = (
        [_Tensor(t.name, t.dtype, t.shape) for t in side if t.op != "PlaceholderWithDefault"]
        for side in (summary.inputs, summary.outputs)
    )
    return inputs, outputs


def _of_signature(signature: Signature) -> tuple[list[_Tensor], list[_Tensor]]:
    """Returns the inputs and outputs of the graph that `tfcarve freeze` writes for a signature."""
    for found in (*signature.inputs, *signature.outputs):
        if len(found.tensors) != 1:
            raise _NoCommands(f"{found.name!r} is not one tensor: freeze the model, and inspect it")
    return _with_frozen_names(signature.inputs, signature.outputs)


def _with_frozen_names(
    inputs: Sequence[SignatureTensor | FunctionTensor],
    outputs: Sequence[SignatureTensor | FunctionTensor],
) -> tuple[list[_Tensor], list[_Tensor]]:
    """Returns inputs and outputs with the names that they have in the graph that `tfcarve freeze` writes."""
    names = frozen_names([t.name for t in inputs], [t.name for t in outputs])
    return _named(inputs, names[0]), _named(outputs, names[1])


def _of_frozen(signature: Signature) -> tuple[list[_Tensor], list[_Tensor]]:
    """Returns the inputs and outputs of a graph that was frozen for a signature: each is a node."""
    sides = signature.inputs, signature.outputs
    return _named(sides[0], map(_node, sides[0])), _named(sides[1], map(_node, sides[1]))


def _node(tensor: SignatureTensor) -> str:
    return node_of(tensor.tensors[0])


def _named(side: Iterable[SignatureTensor | FunctionTensor], names: Iterable[str]) -> list[_Tensor]:
    return [_Tensor(name, t.dtype, t.shape) for t, name in zip(side, names, strict=True)]


def _chosen(summary: Summary) -> str:
    """Returns the name of the signature to freeze, or "" if the model has no signature."""
    if keras.SIGNATURE in summary.signatures:
        return keras.SIGNATURE
    return next((name for name, found in summary.signatures.items() if found.inputs), "")


def _frozen_file(path: PurePath) -> PurePath:
    """Returns where to write the frozen graph: in the current folder, and not over the model itself."""
    name = path.parent.name if path.name.startswith("saved_model.pb") else path.name
    stem = PurePath(name or "model").stem
    return PurePath(f"{stem}-frozen.pb" if name.endswith(".pb") else f"{stem}.pb")


def _of_signatures(summary: Summary, tags: Sequence[str]) -> _Plan:
    """Returns the plan for a SavedModel, or a MetaGraphDef with signatures."""
    name = _chosen(summary)
    if not name:
        if summary.model_functions:
            return _of_function(summary.model_functions, tags)
        raise _NoCommands("no signature has inputs")
    _require_expressible(_Tensor(word, "", None) for word in (name, *tags))
    options = [*_options("--tags", [",".join(tags)])] if tags else []
    options += [] if name == keras.SIGNATURE else _options("--signature", [name])
    remark = f"for the signature {name}"
    if summary.variables and summary.format.startswith("meta_graph"):
        options += _CHECKPOINT
        remark += f"; {_PREFIX}"
    return _Plan(tuple(options), *_of_signature(summary.signatures[name]), remark)


def _of_function(functions: Sequence[ModelFunction], tags: Sequence[str]) -> _Plan:
    """Returns the plan for a SavedModel without signatures."""
    found = next((each for each in functions if each.inputs), None)
    if found is None:
        raise _NoCommands("no function has inputs")
    _require_expressible(_Tensor(word, "", None) for word in (found.name, *tags))
    options = [*_options("--tags", [",".join(tags)])] if tags else []
    options += _options("--signature", [found.name])
    ends = _with_frozen_names(found.inputs, found.outputs)
    return _Plan(tuple(options), *ends, f"for the function {found.name}")


def _with_variables(summary: Summary) -> _Plan:
    inputs, outputs = _of_graph(summary)
    names = ",".join(found.name for found in outputs)
    options = (*_CHECKPOINT, *_options("--outputs", [names]))
    return _Plan(options, inputs, outputs, _PREFIX)


def _plan(summary: Summary, frozen_with: Sequence[str] | None, tags: Sequence[str]) -> _Plan:
    if summary.missing_inputs:
        raise _NoCommands("the graph has inputs that do not exist")
    if frozen_with is not None:
        found = next(iter(summary.signatures.values()), None)
        ends = _of_frozen(found) if found else _of_graph(summary)
        return _Plan(tuple(frozen_with), *ends)
    if summary.signatures or summary.model_functions:
        return _of_signatures(summary, tags)
    if summary.variables:
        return _with_variables(summary)
    return _Plan(None if summary.format == "graphdef" else (), *_of_graph(summary))


def _commands(path: PurePath, plan: _Plan) -> Iterator[tuple[str, ...]]:
    file = path
    if plan.freeze is not None:
        file = _frozen_file(path)
        yield ("tfcarve", "freeze", _word(path), *plan.freeze, "-o", _word(file))
    yield from _running(file, plan.inputs, plan.outputs)


def command_lines(
    summary: Summary,
    path: PurePath,
    frozen_with: Sequence[str] | None = None,
    tags: Sequence[str] = (),
) -> CommandLines:
    """Returns command lines for run_model, benchmark_model and `tfcarve benchmark`; a model is frozen first if necessary.

    Args:
      summary: of the model.
      path: the model.
      frozen_with: the options of `tfcarve freeze` with which the summarized graph was frozen, or None.
      tags: the tags by which the graph was chosen; empty if no tags were requested.
    """
    if summary.format in _NOT_GRAPHS:
        return CommandLines((), "")
    try:
        plan = _plan(summary, frozen_with, tags)
        return CommandLines(tuple(_commands(path, plan)), plan.remark)
    except _NoCommands as why:
        return CommandLines((), str(why))
