"""Compares sizes with budgets and with committed sizes."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.size.committed import Committed, Waiver
from tfcarve.size.report import MEASURES, Measure, Report

OVER, WAIVED, WARNING, WITHIN = "over", "waived", "warning", "within"
# The default growth: what another version of zlib or the linker may change on another machine. An added data type of a kernel
# changes more.
GROWTH = 0.1

# Bytes by platform and measure.
Budgets = Mapping[str, Mapping[Measure, int]]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is allowed.

    Attributes:
      budgets: upper limits.
      growth: allowed growth over the committed sizes, in percent.
      warning: distance from a budget below which there is a warning, in percent.
    """

    budgets: Budgets
    growth: float
    warning: float


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure of a platform compared with a limit; `level` is OVER, WAIVED, WARNING or WITHIN."""

    level: str
    platform: str
    measure: Measure
    size: int
    limit: int
    text: str


def parse_budgets(data: bytes, where: str) -> Budgets:
    """Reads `{platform: {measure: bytes}}`.

    Args:
      data: the file's content.
      where: its name, for messages.

    Raises:
      InvalidInput: it is something else.
    """
    try:
        return json_codec.decode(data, dict[str, dict[Measure, int]], where)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected {{platform: {{measure: bytes}}}} with the measures {', '.join(MEASURES)}"
        ) from None


def findings(
    rules: Rules, committed: Committed, reports: Sequence[Report], today: datetime.date
) -> list[Finding]:
    """Compares each report with its budgets and with the committed sizes.

    Raises:
      InvalidInput: a platform with a budget has no report.
    """
    missing = rules.budgets.keys() - {r.platform for r in reports}
    if missing:
        raise InvalidInput(f"{min(missing)} has a budget but no report")
    return [
        _waived(finding, committed.waivers, today)
        for report in reports
        for finding in _against(rules, committed, report)
    ]


def _against(rules: Rules, committed: Committed, report: Report) -> Iterator[Finding]:
    for measure in MEASURES:
        size = report.sizes[measure]
        limit = rules.budgets.get(report.platform, {}).get(measure)
        what = f"{report.platform}: {measure} is {size:,} bytes"
        if limit is not None:
            room = f"{abs(limit - size):,} bytes ({abs(limit - size) / max(limit, 1):.2%})"
            side = "over" if size > limit else "under"
            near = size > limit * (1 - rules.warning / 100)
            level = OVER if size > limit else WARNING if near else WITHIN
            text = f"{what}, {room} {side} the budget of {limit:,}"
            yield Finding(level, report.platform, measure, size, limit, text)
        if report.platform in committed.reports:
            old = committed.reports[report.platform].sizes[measure]
            allowed = int(old * (1 + rules.growth / 100))
            growth = (size - old) / max(old, 1)
            text = (
                f"{what}, {growth:+.2%} over the committed {old:,}; {rules.growth:g} % is allowed"
            )
            level = OVER if size > allowed else WITHIN
            yield Finding(level, report.platform, measure, size, allowed, text)


def _waived(finding: Finding, waivers: Sequence[Waiver], today: datetime.date) -> Finding:
    """Applies waivers to a finding that is over its limit."""
    level, text = finding.level, finding.text
    for waiver in waivers:
        if level != OVER or (waiver.platform, waiver.measure) != (
            finding.platform,
            finding.measure,
        ):
            continue
        if today > waiver.until:
            text += f"; the waiver ({waiver.reason}) expired on {waiver.until}"
        elif finding.size > waiver.limit:
            text += f"; over the waived {waiver.limit:,} too ({waiver.reason})"
        else:
            level = WAIVED
            text += f"; waived until {waiver.until}: {waiver.reason}"
    return replace(finding, level=level, text=text)
