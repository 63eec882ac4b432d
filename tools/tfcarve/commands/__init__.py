"""The subcommands, a module each with NAME, HELP, add_arguments and run."""

import argparse
import importlib
from typing import Protocol, cast


class Command(Protocol):
    """What a subcommand's module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does it; returns the exit status."""


# In the order in which the help lists them.
NAMES = (
    "index",
    "select",
    "header",
    "op-files",
    "units",
    "link-facts",
    "include-tree",
    "locate",
    "explain",
    "inspect",
    "freeze",
    "transform",
    "compare",
    "diff",
    "memmap",
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
    """Returns the subcommand `name`, one of NAMES.

    Only that one's module is imported: what others need (readers of ELF and Mach-O, templates)
    takes longer to load than a selection takes.
    """
    return cast(Command, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
