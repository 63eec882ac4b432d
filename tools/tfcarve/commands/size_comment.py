"""`tfcarve size-comment`: a pull request comment about the sizes that it changes."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common, options
from tfcarve.commands.size_common import load_report
from tfcarve.errors import InvalidInput
from tfcarve.size import committed
from tfcarve.size.comment import comment
from tfcarve.size.report import Report

NAME = "size-comment"
HELP = "writes a pull request comment (Markdown) from reports before and after a change"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    before = parser.add_mutually_exclusive_group(required=True)
    before.add_argument(
        "--old",
        nargs="+",
        type=Path,
        metavar="REPORT",
        help="reports before the change, one for each platform",
    )
    before.add_argument(
        "--committed",
        type=Path,
        metavar="FILE",
        help="the committed sizes of a tf_size_test instead",
    )
    parser.add_argument(
        "--new",
        nargs="+",
        type=Path,
        required=True,
        metavar="REPORT",
        help="reports with the change, one for each platform",
    )
    options.add_output(parser, "the comment")


def run(arguments: argparse.Namespace) -> int:
    """Writes the comment."""
    if arguments.committed:
        data = files.read_bytes(arguments.committed)
        old = committed.parse(data, str(arguments.committed)).reports
    else:
        old = _by_platform(arguments.old)
    text = comment(old, _by_platform(arguments.new))
    common.output(text.encode(), arguments.output)
    return 0


def _by_platform(paths: list[Path]) -> dict[str, Report]:
    found: dict[str, Report] = {}
    for path in paths:
        report = load_report(path)
        if report.platform in found:
            raise InvalidInput(f"{path}: a second report for {report.platform}")
        found[report.platform] = report
    return found
