"""What the subcommands about sizes share."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.size import report as reports
from tfcarve.size.report import Report


def add_link_arguments(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declares --link and --root."""
    parser.add_argument(
        "--link", type=Path, required=required, metavar="FILE", help="its link.json"
    )
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        help="the folder that paths in link.json start from; else Bazel's that wrote it",
    )


def load_report(path: Path) -> Report:
    """Reads a report."""
    return reports.parse(files.read_json(path), str(path))
