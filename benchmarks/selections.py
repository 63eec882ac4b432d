"""Selections for models of benchmarks, from the index of a TensorFlow tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from demo import cached_models
from tfcarve.commands import common
from tfcarve.commands.common import Sources
from tfcarve.models import read
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import RuntimeRequest, resolve
from tfcarve.selection.selection import Selection


def kernel_index(sources: Sources) -> KernelIndex:
    """Returns the index of TensorFlow's sources; raises InvalidInput if they cannot be indexed."""
    tree, release = sources.tree(), sources.release
    settings = Settings(release.defines, find_compiler(os.environ))
    return index.parse(scan.make_index(tree, release, settings), f"index of {tree}")


def of_model(name: str) -> Selection:
    """Returns what a model of the zoo needs from the pinned TensorFlow; raises CheckFailed if an op has no kernel."""
    indexed = kernel_index(common.sources(None))
    return selected([cached_models.load(name).model], indexed)


def selected(
    models: Sequence[Path], indexed: KernelIndex, request: RuntimeRequest = "auto"
) -> Selection:
    """Returns what the models need; raises CheckFailed if an op has no kernel."""
    release = known.for_version(indexed.tensorflow.version)
    rules, kinds = runtime_rules.load(release), leftover_kinds.load(release)
    read_models = [read.read(model) for model in models]
    return resolve(read_models, indexed, release, rules, kinds, request).selection
