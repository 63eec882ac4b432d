"""`tfcarve size-comment`: what a change does to the sizes, as a pull request's comment."""

import argparse
from pathlib import Path

from tfcarve.commands import common
from tfcarve.commands.size_common import load_report
from tfcarve.errors import BadInput
from tfcarve.size.comment import comment
from tfcarve.size.report import Report

NAME = "size-comment"
HELP = "writes a pull request's comment (Markdown) from reports before and after"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    for name, when in (("--old", "before the change"), ("--new", "with the change")):
        parser.add_argument(
            name,
            nargs="+",
            type=Path,
            required=True,
            metavar="REPORT",
            help=f"reports {when}, one a platform",
        )
    common.add_output_argument(parser, "the comment")


def _by_platform(paths: list[Path]) -> dict[str, Report]:
    found: dict[str, Report] = {}
    for path in paths:
        report = load_report(path)
        if report.platform in found:
            raise BadInput(f"{path}: a second report for {report.platform}")
        found[report.platform] = report
    return found


def run(arguments: argparse.Namespace) -> int:
    """Writes the comment."""
    text = comment(_by_platform(arguments.old), _by_platform(arguments.new))
    common.output(text.encode(), arguments.output)
    return 0
