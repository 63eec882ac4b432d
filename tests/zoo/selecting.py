"""Selections for models of the zoo, with the index of the pinned TensorFlow."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import trees

from tfcarve.commands.read_model import read_model
from tfcarve.models.choice import ALL, Choice
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection


@cache
def tensorflow_index() -> KernelIndex:
    """Returns the index of the pinned TensorFlow."""
    settings = Settings(known.release().defines, find_compiler(os.environ))
    return index.parse(scan.make_index(trees.tensorflow(), known.release(), settings), "index")


def selected(*models: Path, choice: Choice = ALL) -> Selection:
    """Returns the selection for `models`."""
    loaded = [read_model(model, known.release(), choice) for model in models]
    resolved = resolve(
        loaded,
        tensorflow_index(),
        known.release(),
        runtime_rules.load(known.release()),
        leftover_kinds.load(known.release()),
        "session",  # the tool that tests compare with selects for a session
    )
    return resolved.selection
