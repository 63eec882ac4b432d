"""Reads a model file as a graph; models that are not frozen are frozen first."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from tfcarve.errors import InvalidInput
from tfcarve.models.mapped_file import mapped
from tfcarve.models.node_names import meant
from tfcarve.prepare.freeze import run as freezing
from tfcarve.prepare.freeze.request import DEFAULTS, Options, requires_freezing
from tfcarve.prepare.freeze.source import kind
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.inputs.fixed_inputs import with_constants
from tfcarve.releases.release import Release


@dataclass(frozen=True, slots=True)
class Source:
    """A frozen graph.

    Attributes:
      path: its file.
      inputs: the names of the requested inputs in the graph, or of all inputs that freezing created; empty if there are no inputs.
      outputs: the names of the requested outputs in the graph, or of all outputs that freezing created; empty if there are no outputs.
      declared: the outputs of the model that was frozen; empty for a GraphDef that was not frozen by tfcarve.
      frozen_with: the options with which it was frozen; None for a GraphDef that was not frozen by tfcarve.
      input_nodes: the nodes of the inputs of the model that was frozen, by their names in its signature.
      output_nodes: the nodes of the outputs of the model that was frozen, by their names in its signature.
      notes: the changes of freezing other than constants for variables, for the user.
    """

    path: Path
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    declared: tuple[str, ...] = ()
    frozen_with: Options | None = None
    input_nodes: Mapping[str, str] = field(default_factory=dict)
    output_nodes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@contextmanager
def frozen_source(path: Path, release: Release, options: Options = DEFAULTS) -> Iterator[Source]:
    """Freezes a model for the duration of the block; a GraphDef only if the options require it.

    Args:
      path: a SavedModel's directory, .keras, .h5, .pb, .pbtxt or .meta.
      release: the TensorFlow release that runs the frozen graph.
      options: the options of freezing. `inputs` and `outputs` are tensors of a GraphDef or MetaGraphDef; for another model,
        they select inputs and outputs of the signature.

    Yields:
      The frozen graph; a GraphDef itself if it is not frozen.

    Raises:
      InvalidInput: it is not a model, or cannot be frozen.
    """
    found = kind(path)
    if found == "graphdef" and not requires_freezing(options):
        yield Source(path, options.inputs, options.outputs)
        return
    has_signature = found in ("saved_model", "keras")
    wanted = structs.replace(options, inputs=(), outputs=()) if has_signature else options
    with freezing.frozen(path, release, wanted) as done:
        inputs, outputs = (
            tuple(tensor.name for tensor in side)
            for side in (done.result.inputs, done.result.outputs)
        )
        declared = outputs
        input_nodes, output_nodes = (
            {tensor.given: tensor.name for tensor in side}
            for side in (done.result.inputs, done.result.outputs)
        )
        if has_signature:
            inputs = tuple(meant(name, (), input_nodes) for name in options.inputs) or inputs
            outputs = tuple(meant(name, (), output_nodes) for name in options.outputs) or outputs
        yield Source(
            done.path,
            inputs,
            outputs,
            declared,
            wanted,
            input_nodes,
            output_nodes,
            done.result.notes,
        )


def read_source(path: Path, release: Release, options: Options = DEFAULTS) -> tuple[Graph, Source]:
    """Reads the graph of a model; frozen_source freezes the model for `release`.

    A GraphDef is not frozen if the only reason is that Placeholders become constants.

    Raises InvalidInput, with the file and the fix, if it is not a model, is damaged or cannot be frozen.
    """
    others = structs.replace(options, constants=())
    if options.constants and kind(path) == "graphdef" and not requires_freezing(others):
        graph, source = read_source(path, release, others)
        try:
            return with_constants(graph, options.constants, options.inputs), source
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from None
    with frozen_source(path, release, options) as source:
        return graph_file.read_graph(source.path), source


def source_size(path: Path) -> int:
    """Returns the size of a model's files in bytes; raises InvalidInput if they do not exist."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return len(mapped(path))
