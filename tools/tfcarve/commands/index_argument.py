"""The index that the options of a command name, and its release."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import files, progress
from tfcarve.commands import common
from tfcarve.errors import InvalidInput
from tfcarve.registry import index as indexes
from tfcarve.registry.index import KernelIndex
from tfcarve.releases import known
from tfcarve.releases.release import Release

if TYPE_CHECKING:
    from tfcarve.registry.settings import Settings


def index_settings(arguments: argparse.Namespace, defines: Sequence[str]) -> "Settings":
    """Returns the settings of an index, from the arguments of options.add_tree.

    Raises:
      InvalidInput: there is no compiler, or the target is incomplete or malformed.
    """
    from tfcarve.registry import target
    from tfcarve.registry.settings import Settings, find_compiler

    compiler = find_compiler(os.environ)
    if (arguments.target is None) != (arguments.target_macros is None):
        raise InvalidInput("--target and --target-macros: pass both or none")
    if arguments.target is None:
        return Settings(tuple(defines), compiler)
    path: Path = arguments.target_macros
    dump = files.read_bytes(path).decode(errors="replace")
    return Settings(tuple(defines), compiler, target.parse(arguments.target, dump, str(path)))


@dataclass(frozen=True)
class IndexArgument:
    """The index that the arguments of options.add_index name.

    Attributes:
      arguments: the arguments.
      given: the index in the file --index; None if there is no such option.
      sources: TensorFlow's sources.
      release: the release of the index, or the default release if tfcarve does not build the index's release.
    """

    arguments: argparse.Namespace
    given: KernelIndex | None
    sources: common.Sources
    release: Release

    def load(self) -> KernelIndex:
        """Returns the index with the custom ops; creates it if there is no option --index.

        Raises InvalidInput if it cannot be created.
        """
        custom_ops = self.arguments.custom_op
        if self.given and not custom_ops:
            return self.given
        from tfcarve.registry import (
            scan,  # takes as long to load as a selection from a finished index
        )

        tree = self.sources.tree()
        defines = self.given.tensorflow.defines if self.given else self.release.defines
        settings = index_settings(self.arguments, defines)
        with progress.shown() as show:
            if self.given:
                return scan.with_custom_ops(
                    self.given, tree, self.release, settings, custom_ops, show
                )
            data = scan.make_index(tree, self.release, settings, custom_ops, show)
        return indexes.parse(data, f"index of {tree}")


def read(arguments: argparse.Namespace) -> IndexArgument:
    """Reads the file --index, and finds the release of the index.

    Raises InvalidInput if the file cannot be read, or is for another target.
    """
    sources = common.sources(arguments.tensorflow)
    if arguments.index is None:
        return IndexArgument(arguments, None, sources, sources.release)
    given = indexes.parse(files.read_bytes(arguments.index), str(arguments.index))
    if arguments.target not in (None, given.tensorflow.target):
        raise InvalidInput(
            f"{arguments.index}: for the target {given.tensorflow.target or 'host'}, not {arguments.target}"
        )
    return IndexArgument(arguments, given, sources, known.for_version(given.tensorflow.version))
