"""Whether libraries are within their budgets, and why not."""

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.size import report as reports
from tfcarve.size.compare import summary
from tfcarve.size.report import MEASURES, Report

VERSION = 1

OVER, WAIVED, WARNING, WITHIN = "over", "waived", "warning", "within"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Lets a measure of a platform reach `limit` bytes up to and including a day, for a reason."""

    platform: str
    measure: str
    limit: int
    reason: str
    until: datetime.date


@dataclass(frozen=True, slots=True)
class Committed:
    """The figures that were last agreed to, by platform, and the waivers."""

    reports: Mapping[str, Report]
    waivers: tuple[Waiver, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is allowed.

    Fields:
      budgets: by platform and measure, bytes.
      growth: percent over the committed figures.
      warning: percent under a budget from which on a warning is given.
    """

    budgets: Mapping[str, Mapping[str, int]]
    growth: float
    warning: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One measure of one platform against one limit; `level` is OVER, WAIVED, WARNING or WITHIN."""

    level: str
    platform: str
    measure: str
    size: int
    limit: int
    text: str


def parse_budgets(data: bytes, where: str) -> dict[str, dict[str, int]]:
    """Reads `{platform: {measure: bytes}}`; raises InvalidInput where it is none."""
    try:
        document = json.loads(data)
        json_form.check(document, Each(Each(int)), "budgets")
        unknown = {m for limits in document.values() for m in limits} - set(MEASURES)
        if unknown:
            raise ValueError(f"no measure {min(unknown)!r}: there are {', '.join(MEASURES)}")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: {error}") from None
    return dict(document)


_WAIVER = {"platform": str, "measure": str, "limit": int, "reason": str, "until": str}


def parse_committed(data: bytes, where: str) -> Committed:
    """Reads the committed file; raises InvalidInput where it is none, or a waiver lacks something."""
    try:
        document = json.loads(data)
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise ValueError(f"no committed sizes of version {VERSION}")
        json_form.check(document, {"platforms": Each(None), "waivers": [_WAIVER]}, "sizes")
        unknown = document.keys() - {"version", "platforms", "waivers"}
        if unknown:
            raise ValueError(f"unknown key {min(unknown)!r}")
        platforms = document.get("platforms", {})
        waivers = tuple(_waiver(row) for row in document.get("waivers", []))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: {error}") from None
    return Committed(
        {
            name: reports.parse(json.dumps(row).encode(), f"{where}: {name}")
            for name, row in platforms.items()
        },
        waivers,
    )


def _waiver(row: Mapping[str, Any]) -> Waiver:
    if row.keys() != _WAIVER.keys():
        raise ValueError(f"a waiver has {', '.join(_WAIVER)}; this has {', '.join(sorted(row))}")
    if row["measure"] not in MEASURES:
        raise ValueError(f"waiver of {row['measure']!r}: there are {', '.join(MEASURES)}")
    if not row["reason"].strip():
        raise ValueError(f"a waiver for {row['platform']} {row['measure']} gives no reason")
    try:
        until = datetime.date.fromisoformat(row["until"])
    except ValueError:
        raise ValueError(
            f"waiver until {row['until']!r}: a day as 2026-12-31 was expected"
        ) from None
    return Waiver(row["platform"], row["measure"], row["limit"], row["reason"], until)


def findings(
    rules: Rules, committed: Committed, reports_: Sequence[Report], today: datetime.date
) -> list[Finding]:
    """Holds each report against its budgets and against the committed figures.

    Raises:
      InvalidInput: a platform with a budget has no report.
    """
    missing = rules.budgets.keys() - {r.platform for r in reports_}
    if missing:
        raise InvalidInput(f"no report of {min(missing)}, which has a budget")
    return [
        _waived(finding, committed.waivers, today)
        for report in reports_
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
            was = committed.reports[report.platform].sizes[measure]
            allowed = int(was * (1 + rules.growth / 100))
            grown = (size - was) / max(was, 1)
            text = f"{what}, {grown:+.2%} on the committed {was:,}; {rules.growth:g} % is allowed"
            level = OVER if size > allowed else WITHIN
            yield Finding(level, report.platform, measure, size, allowed, text)


def _waived(finding: Finding, waivers: Sequence[Waiver], today: datetime.date) -> Finding:
    """A finding that is over, with what the waivers for it say."""
    level, text = finding.level, finding.text
    for waiver in waivers:
        if level != OVER or (waiver.platform, waiver.measure) != (
            finding.platform,
            finding.measure,
        ):
            continue
        if today > waiver.until:
            text += f"; the waiver ({waiver.reason}) ended on {waiver.until}"
        elif finding.size > waiver.limit:
            text += f"; more than the {waiver.limit:,} that are waived ({waiver.reason})"
        else:
            level = WAIVED
            text += f"; waived until {waiver.until}: {waiver.reason}"
    return Finding(level, finding.platform, finding.measure, finding.size, finding.limit, text)


def updated(committed: Committed, reports_: Sequence[Report], today: datetime.date) -> bytes:
    """Returns the committed file for what is measured now; waivers that ended are left out."""
    platforms = dict(committed.reports) | {r.platform: summary(r) for r in reports_}
    document = {
        "version": VERSION,
        "waivers": [
            {
                "platform": w.platform,
                "measure": w.measure,
                "limit": w.limit,
                "reason": w.reason,
                "until": w.until.isoformat(),
            }
            for w in committed.waivers
            if today <= w.until
        ],
        "platforms": {name: json.loads(r.to_json()) for name, r in sorted(platforms.items())},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def delta_line(committed: Committed, reports_: Sequence[Report]) -> str:
    """Returns what an update changes, in a line for the commit message."""
    parts = []
    for report in sorted(reports_, key=lambda r: r.platform):
        old = committed.reports.get(report.platform)
        figures = [
            f"{measure} {report.sizes[measure]:,}"
            + (f" ({report.sizes[measure] - old.sizes[measure]:+,})" if old else "")
            for measure in MEASURES
        ]
        parts.append(f"{report.platform} {', '.join(figures)}")
    return "Size: " + "; ".join(parts)
