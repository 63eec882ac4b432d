"""Selections from TensorFlow's real sources, for the tests of the zoo."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import trees

from tfcarve.commands.common import default_defines
from tfcarve.models import read
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection


@cache
def tensorflow_index() -> KernelIndex:
    """The index of the pinned TensorFlow's sources."""
    settings = Settings(default_defines(), find_compiler(os.environ))
    return index.parse(scan.make_index(trees.tensorflow(), settings), "index")


def selected(*models: Path, choice: read.Choice = read.ALL) -> Selection:
    """What `models` need."""
    loaded = [read.read(model, choice) for model in models]
    resolved = resolve(
        loaded,
        tensorflow_index(),
        runtime_rules.load(known.release()),
        leftover_kinds.load(known.release()),
    )
    return resolved.selection
