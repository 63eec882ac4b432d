"""The subcommands of tfcarve: one module each, with NAME, HELP, add_arguments and run, and a few modules they share.

Here: one module for each subcommand: arguments, files in, files out.
Not here: computation.
"""

import argparse
import importlib
from collections.abc import Mapping
from typing import Protocol, cast


class Command(Protocol):
    """The interface of a subcommand's module."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the subcommand; returns the exit status."""


# The subcommands in the order of `tfcarve --help`, by the title of their group.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "From models to a library": ("build",),
    "Models": (
        *("inspect", "graph", "freeze", "transform", "calibrate"),
        *("compare", "diff", "memmap", "protect"),
    ),
    "Selection": ("select", "explain", "locate", "index", "header", "op-files"),
    "Library": (
        *("prove", "golden", "benchmark", "sbom"),
        *("xcframework", "swift-package", "aar", "maven", "check-apk", "wheel", "archive"),
    ),
    "Size": ("size", "size-check", "size-comment", "size-predict", "size-marginal"),
    "Build steps, which the Bazel rules run": (
        *("units", "optional-sources", "include-tree"),
        *("link-facts", "manifest", "private-symbols"),
    ),
}
NAMES = tuple(name for names in GROUPS.values() for name in names)


def load(name: str) -> Command:
    """Imports the subcommand `name`, one of NAMES.

    Other subcommands are not imported: their dependencies (readers of ELF and Mach-O, templates) take longer to import
    than a selection takes.
    """
    return cast(Command, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
