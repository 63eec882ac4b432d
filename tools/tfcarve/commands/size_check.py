"""`tfcarve size-check`: checks sizes against budgets and committed sizes; tf_size_test runs it."""

import argparse
import datetime
from pathlib import Path

from tfcarve import files
from tfcarve.commands import options
from tfcarve.commands.size_common import load_report
from tfcarve.errors import CheckFailed, InvalidInput, Problem
from tfcarve.size import budget, committed
from tfcarve.size.committed import Committed
from tfcarve.size.compare import changes
from tfcarve.size.report import Report

NAME = "size-check"
HELP = "checks reports against budgets and committed sizes, and names the causes of growth"

_MAX_CAUSES = 12
_MAX_PERCENT = 1000


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    # "nan" is a float too; it fails every comparison.
    if not 0 <= value <= _MAX_PERCENT:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a percentage from 0 to {_MAX_PERCENT}"
        )
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "reports", nargs="+", type=Path, metavar="REPORT", help="reports of `tfcarve size`"
    )
    parser.add_argument(
        "--budgets", type=Path, metavar="FILE", help="JSON: {platform: {stripped|text|gzip: bytes}}"
    )
    parser.add_argument(
        "--committed",
        type=options.not_standard_output("the file is read, too"),
        metavar="FILE",
        help="the committed sizes to compare with",
    )
    parser.add_argument(
        "--growth",
        type=_percent,
        default=budget.GROWTH,
        metavar="PERCENT",
        help=f"allowed growth over the committed sizes (default: {budget.GROWTH:g})",
    )
    parser.add_argument(
        "--warning",
        type=_percent,
        default=2.0,
        metavar="PERCENT",
        help="warns if a size is this close to its budget (default: 2)",
    )
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="skips platforms that have a budget but no report",
    )
    parser.add_argument(
        "--update", action="store_true", help="writes the current sizes to the --committed file"
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints each measure; raises CheckFailed if a measure is over its limit."""
    reports = [load_report(path) for path in arguments.reports]
    today = datetime.date.today()
    old = _committed(arguments.committed, may_be_absent=arguments.update)
    if arguments.update:
        if arguments.committed is None:
            raise InvalidInput("--update writes the file of --committed: pass --committed")
        files.write_if_changed(arguments.committed, committed.updated(old, reports, today))
        print(committed.delta_line(old, reports))
        return 0
    budgets: budget.Budgets = {}
    if arguments.budgets:
        budgets = budget.parse_budgets(files.read_bytes(arguments.budgets), str(arguments.budgets))
    absent = sorted(budgets.keys() - {report.platform for report in reports})
    if arguments.allow_missing:
        budgets = {name: limits for name, limits in budgets.items() if name not in absent}
        for name in absent:
            print(f"skipped: {name}: no library was built for it")
    rules = budget.Rules(budgets, arguments.growth, arguments.warning)
    found = budget.findings(rules, old, reports, today)
    for finding in found:
        if finding.level != budget.OVER:
            print(f"{finding.level}: {finding.text}")
    over = [finding for finding in found if finding.level == budget.OVER]
    if over:
        by_platform = {report.platform: report for report in reports}
        platforms = dict.fromkeys(finding.platform for finding in over)
        problems = [Problem(finding.text) for finding in over]
        problems += [p for name in platforms for p in _causes(old, by_platform[name])]
        raise CheckFailed("too large:", problems)
    return 0


def _committed(path: Path | None, *, may_be_absent: bool) -> Committed:
    if path is None or (may_be_absent and not path.exists()):
        return committed.NONE
    return committed.parse(files.read_bytes(path), str(path))


def _causes(old: Committed, report: Report) -> list[Problem]:
    """The changes since the committed report; without such a report, the largest files."""
    before = old.reports.get(report.platform)
    if before is None:
        largest = list(report.by(lambda e: e.file).items())[:_MAX_CAUSES]
        lines = "\n".join(f"    {size:>9,}  {name}" for name, size in largest)
        return [
            Problem(
                f"{report.platform}: there are no committed sizes; the largest files are:\n{lines}"
            )
        ]
    found = changes(before, report)
    shown = [Problem(f"{report.platform}: {change.text()}") for change in found[:_MAX_CAUSES]]
    rest = len(found) - len(shown)
    more = [Problem(f"{report.platform}: and {rest} smaller changes")] if rest else []
    return [
        *(shown or [Problem(f"{report.platform}: no op, class or file changed")]),
        *more,
        Problem(
            "to accept the new sizes, commit them with --update: `bazel run //PACKAGE:NAME.update`"
        ),
    ]
