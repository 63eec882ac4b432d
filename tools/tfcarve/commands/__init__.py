"""The subcommands, a module each with NAME, HELP, add_arguments and run."""

import argparse
from typing import Protocol

from tfcarve.commands import explain, header, index, inspect, locate, op_files, select, units


class Command(Protocol):
    """What a subcommand's module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does it; returns the exit status."""


COMMANDS: tuple[Command, ...] = (index, select, header, op_files, units, locate, explain, inspect)
