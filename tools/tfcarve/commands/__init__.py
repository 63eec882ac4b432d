"""The subcommands, a module each with NAME, HELP, add_arguments and run."""

import argparse
from typing import Protocol

from tfcarve.commands import (
    aar,
    explain,
    golden,
    header,
    include_tree,
    index,
    inspect,
    link_facts,
    locate,
    manifest,
    op_files,
    private_symbols,
    prove,
    select,
    size,
    size_check,
    size_comment,
    size_predict,
    size_price,
    units,
    xcframework,
)


class Command(Protocol):
    """What a subcommand's module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does it; returns the exit status."""


COMMANDS: tuple[Command, ...] = (
    index,
    select,
    header,
    op_files,
    units,
    link_facts,
    include_tree,
    locate,
    explain,
    inspect,
    manifest,
    private_symbols,
    prove,
    golden,
    size,
    size_price,
    size_predict,
    size_check,
    size_comment,
    xcframework,
    aar,
)
