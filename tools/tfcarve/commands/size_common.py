"""Arguments and input of the size subcommands."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.size import report as reports
from tfcarve.size.report import Report


def add_link_arguments(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declares --link and --root."""
    parser.add_argument(
        "--link", type=Path, required=required, metavar="FILE", help="the library's link.json"
    )
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        help="folder that the paths in link.json start from (default: the execution root of the Bazel that wrote it)",
    )


def load_report(path: Path) -> Report:
    """Reads a report."""
    return reports.parse(files.read_bytes(path), str(path))
