"""The output of `tfcarve inspect` for a model: its summary, and the command lines that run it. Pure."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Literal

from tfcarve.benchmark import command_lines
from tfcarve.models import summary_lines
from tfcarve.models.node_use import Model
from tfcarve.models.summary import Summary, summary
from tfcarve.releases.release import Release
from tfcarve.validity import op_types
from tfcarve.validity.tables import GRAPHS, TABLES, unready_tables


class Inspection(Summary, frozen=True, kw_only=True):
    """The document that `tfcarve inspect --json` prints: the fields of Summary, and command lines for the model.

    Attributes:
      version: the version of the document's form.
      model: the path of the model.
      warnings: each failure of the graph in a run, and the way to correct it.
      commands: the words of the command lines that freeze the model, if necessary, and run and measure it.
      commands_remark: a condition for the use of the commands, or the reason why there are no commands; "" otherwise.
    """

    version: Literal[1]
    model: str
    warnings: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    commands_remark: str


def _warnings(model: Model, found: Summary, path: str) -> Iterator[str]:
    """Yields the faults of lookup tables in a frozen graph. Freezing replaces the lookup tables of other models."""
    if found.format not in GRAPHS or TABLES.isdisjoint(found.ops):
        return
    for table in unready_tables(tuple(model.nodes)):
        yield f"{table.what()}; {table.fix(path)}"


def inspect(
    model: Model,
    path: PurePath,
    release: Release,
    frozen_with: Sequence[str] | None,
    tags: Sequence[str] = (),
) -> Inspection:
    """Returns the document for a model.

    Args:
      model: the model.
      path: its file.
      release: the TensorFlow release whose definitions of ops give the types of nodes.
      frozen_with: the options of `tfcarve freeze` with which it was frozen, or None.
      tags: the requested tags.

    Raises:
      InvalidInput: a shape has more elements than a tensor can have.
    """
    found = summary(model, op_types.of_model(model, release))
    running = command_lines.command_lines(found, path, frozen_with, tags)
    fields = {name: getattr(found, name) for name in Summary.__struct_fields__}
    return Inspection(
        **fields,
        version=1,
        model=str(path),
        warnings=tuple(_warnings(model, found, str(path))),
        commands=running.commands,
        commands_remark=running.remark,
    )


def lines(found: Inspection) -> Iterator[str]:
    """Yields the document as text, which contains untrusted names; command lines are quoted for a shell."""
    yield from summary_lines.lines(found)
    yield from (f"warning: {text}" for text in found.warnings)
    if found.commands:
        yield "to run it" + (f" ({found.commands_remark}):" if found.commands_remark else ":")
        yield from (f"  {shlex.join(words)}" for words in found.commands)
    elif found.commands_remark:
        yield f"no commands to run it: {found.commands_remark}"
