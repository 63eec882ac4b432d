"""The subcommands of tfcarve: one module each, with NAME, HELP, add_arguments and run, and a few modules they share."""

import argparse
import importlib
from typing import Protocol, cast


class Command(Protocol):
    """The interface of a subcommand's module."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the subcommand; returns the exit status."""


# In the order of `tfcarve --help`.
NAMES = (
    "index",
    "select",
    "header",
    "op-files",
    "units",
    "optional-sources",
    "link-facts",
    "include-tree",
    "locate",
    "explain",
    "inspect",
    "graph",
    "freeze",
    "calibrate",
    "transform",
    "compare",
    "diff",
    "memmap",
    "protect",
    "manifest",
    "private-symbols",
    "prove",
    "golden",
    "benchmark",
    "size",
    "size-marginal",
    "size-predict",
    "size-check",
    "size-comment",
    "xcframework",
    "aar",
)


def load(name: str) -> Command:
    """Imports the subcommand `name`, one of NAMES.

    Other subcommands are not imported: their dependencies (readers of ELF and Mach-O, templates) take longer to import
    than a selection takes.
    """
    return cast(Command, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
