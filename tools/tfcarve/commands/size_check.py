"""`tfcarve size-check`: whether libraries are within their budgets; tf_size_test runs it."""

import argparse
import datetime
from pathlib import Path

from tfcarve import files
from tfcarve.commands.size_common import load_report
from tfcarve.errors import CheckFailed, InvalidInput, Problem
from tfcarve.size import budget
from tfcarve.size.compare import changes
from tfcarve.size.report import Report

NAME = "size-check"
HELP = "holds reports against budgets and committed figures; says what caused growth"

_CAUSES = 12
_MOST_PERCENT = 1000


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    # "nan" is a float too, and within no bounds.
    if not 0 <= value <= _MOST_PERCENT:
        raise argparse.ArgumentTypeError(
            f"{text!r}: a number of percent from 0 to {_MOST_PERCENT} was expected"
        )
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "reports", nargs="+", type=Path, metavar="REPORT", help="from `tfcarve size`"
    )
    parser.add_argument(
        "--budgets", type=Path, metavar="FILE", help="JSON: {platform: {stripped|text|gzip: bytes}}"
    )
    parser.add_argument("--committed", type=Path, metavar="FILE", help="the figures agreed to")
    parser.add_argument(
        "--growth",
        type=_percent,
        default=0.0,
        metavar="PERCENT",
        help="allowed over the committed figures",
    )
    parser.add_argument(
        "--warning",
        type=_percent,
        default=2.0,
        metavar="PERCENT",
        help="warns so close to a budget",
    )
    parser.add_argument(
        "--not-all",
        action="store_true",
        help="platforms with a budget and without a report are told, and are no error",
    )
    parser.add_argument(
        "--update", action="store_true", help="writes the committed file for the present sizes"
    )


def _committed(path: Path | None, *, may_be_absent: bool) -> budget.Committed:
    if path is None or (may_be_absent and not path.exists()):
        return budget.Committed({}, ())
    return budget.parse_committed(files.read_json(path), str(path))


def run(arguments: argparse.Namespace) -> int:
    """Prints each measure; raises CheckFailed where one is over."""
    reports = [load_report(path) for path in arguments.reports]
    today = datetime.date.today()
    committed = _committed(arguments.committed, may_be_absent=arguments.update)
    if arguments.update:
        if arguments.committed is None:
            raise InvalidInput("--update writes the file that --committed names: give one")
        files.write_if_changed(arguments.committed, budget.updated(committed, reports, today))
        print(budget.delta_line(committed, reports))
        return 0
    budgets = {}
    if arguments.budgets:
        budgets = budget.parse_budgets(files.read_json(arguments.budgets), str(arguments.budgets))
    absent = sorted(budgets.keys() - {report.platform for report in reports})
    if arguments.not_all:
        budgets = {name: limits for name, limits in budgets.items() if name not in absent}
        for name in absent:
            print(f"skipped: {name}: no library was built for it")
    rules = budget.Rules(budgets, arguments.growth, arguments.warning)
    found = budget.findings(rules, committed, reports, today)
    for finding in found:
        if finding.level != budget.OVER:
            print(f"{finding.level}: {finding.text}")
    over = [finding for finding in found if finding.level == budget.OVER]
    if over:
        by_platform = {report.platform: report for report in reports}
        platforms = dict.fromkeys(finding.platform for finding in over)
        problems = [Problem(finding.text) for finding in over]
        problems += [p for name in platforms for p in _causes(committed, by_platform[name])]
        raise CheckFailed("too large:", problems)
    return 0


def _causes(committed: budget.Committed, report: Report) -> list[Problem]:
    """What came in since the committed figures; where there are none, what is largest."""
    old = committed.reports.get(report.platform)
    if old is None:
        largest = list(report.by(lambda e: e.file).items())[:_CAUSES]
        lines = "\n".join(f"    {size:>9,}  {name}" for name, size in largest)
        return [
            Problem(f"{report.platform}: no figures are committed; its largest files:\n{lines}")
        ]
    found = changes(old, report)
    shown = [Problem(f"{report.platform}: {change.text()}") for change in found[:_CAUSES]]
    rest = len(found) - len(shown)
    more = [Problem(f"{report.platform}: and {rest} smaller changes")] if rest else []
    return [
        *(shown or [Problem(f"{report.platform}: no op, class or file changed")]),
        *more,
        Problem("agreed? take the new figures with --update: `bazel run //PACKAGE:NAME.update`"),
    ]
