"""Tests of budgets: limits, growth, warnings, waivers, and the committed file."""

import datetime
import json

import pytest
from size_reports import report

from tfcarve import cli
from tfcarve.errors import InvalidInput
from tfcarve.size import budget, committed
from tfcarve.size.budget import OVER, WAIVED, WARNING, WITHIN, Rules
from tfcarve.size.committed import NONE, VERSION, Committed, Waiver
from tfcarve.size.compare import summary
from tfcarve.size.report import Measure, Report

_TODAY = datetime.date(2026, 11, 21)


def _committed(*reports: Report, waivers: tuple[Waiver, ...] = ()) -> Committed:
    by_platform = {r.platform: summary(r) for r in reports}
    return Committed(version=VERSION, waivers=waivers, reports=by_platform)


def _levels(
    rules: Rules, old: Committed = NONE, *, size: int = 6000, today: datetime.date = _TODAY
) -> list[str]:
    return [f.level for f in budget.findings(rules, old, [report(stripped=size)], today)]


@pytest.mark.parametrize(
    ("size", "level"),
    [(10_001, OVER), (10_000, WARNING), (9_801, WARNING), (9_800, WITHIN), (1, WITHIN)],
)
def test_budget_with_its_warning_band(size: int, level: str) -> None:
    rules = Rules({"linux_arm64": {"stripped": 10_000}}, growth=0, warning=2)
    assert _levels(rules, size=size) == [level]


@pytest.mark.parametrize("measure", ["stripped", "text", "gzip"])
def test_each_measure_has_its_own_budget(measure: Measure) -> None:
    found = budget.findings(Rules({"linux_arm64": {measure: 1}}, 0, 2), NONE, [report()], _TODAY)
    assert [(f.level, f.measure, f.limit) for f in found] == [(OVER, measure, 1)]
    assert "over the budget of 1" in found[0].text


@pytest.mark.parametrize(("size", "level"), [(6061, OVER), (6060, WITHIN), (5000, WITHIN)])
def test_growth_in_percent_over_the_committed_sizes(size: int, level: str) -> None:
    old = _committed(report(stripped=6000))
    assert _levels(Rules({}, growth=1, warning=2), old, size=size)[0] == level


@pytest.mark.parametrize(("size", "level"), [(6007, OVER), (6005, WITHIN)])
def test_default_growth_permits_another_linker(size: int, level: str) -> None:
    default = cli.parser().parse_args(["size-check", "r.json"]).growth
    old = _committed(report(stripped=6000))
    assert _levels(Rules({}, growth=default, warning=2), old, size=size)[0] == level


def test_message_states_growth_in_percent() -> None:
    old = _committed(report(stripped=6000))
    (found, *_) = budget.findings(Rules({}, 0, 2), old, [report(stripped=6300)], _TODAY)
    assert found.text == (
        "linux_arm64: stripped is 6,300 bytes, +5.00% over the committed 6,000; 0 % is allowed"
    )


def _waiver(limit: int, until: str, measure: Measure = "stripped") -> Committed:
    day = datetime.date.fromisoformat(until)
    waiver = Waiver("linux_arm64", measure, limit, "a new model", day)
    return Committed(version=VERSION, waivers=(waiver,))


@pytest.mark.parametrize(
    ("waiver", "level", "words"),
    [
        (_waiver(6000, "2026-11-21"), WAIVED, "waived until 2026-11-21: a new model"),
        (_waiver(6000, "2026-11-20"), OVER, "(a new model) expired on 2026-11-20"),
        (_waiver(5999, "2026-12-31"), OVER, "over the waived 5,999 too (a new model)"),
        (_waiver(6000, "2026-12-31", "gzip"), OVER, "over the budget"),
    ],
)
def test_waivers_expire(waiver: Committed, level: str, words: str) -> None:
    rules = Rules({"linux_arm64": {"stripped": 5000}}, 0, 2)
    (found,) = budget.findings(rules, waiver, [report(stripped=6000)], _TODAY)
    assert found.level == level
    assert words in found.text


def test_update_takes_larger_and_smaller_sizes_and_returns_a_line() -> None:
    old = _committed(report(stripped=6000))
    for size, delta in ((5500, "-500"), (6500, "+500")):
        new = [report(stripped=size)]
        line = committed.delta_line(old, new)
        assert line.startswith(f"Size: linux_arm64 stripped {size:,} ({delta}), text ")
        written = committed.parse(committed.updated(old, new, _TODAY), "sizes.json")
        assert written.reports["linux_arm64"].sizes["stripped"] == size
        assert _levels(Rules({}, 0, 2), written, size=size) == [WITHIN] * 3
        assert _levels(Rules({}, 0, 2), written, size=size + 1)[0] == OVER


def test_update_drops_expired_waivers_and_keeps_other_platforms() -> None:
    valid, expired = _waiver(1, "2026-11-21").waivers, _waiver(1, "2026-11-20").waivers
    old = _committed(report(platform="linux_x86_64"), waivers=valid + expired)
    written = committed.parse(committed.updated(old, [report()], _TODAY), "s")
    assert written.waivers == valid
    assert sorted(written.reports) == ["linux_arm64", "linux_x86_64"]


def test_platform_without_a_report() -> None:
    rules = Rules({"linux_armv7": {"stripped": 1}}, 0, 2)
    with pytest.raises(InvalidInput, match="linux_armv7 has a budget but no report"):
        budget.findings(rules, NONE, [report()], _TODAY)


_WAIVER = {"platform": "p", "measure": "gzip", "limit": 1, "reason": "r", "until": "2026-01-01"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reason": " "}, r"the waiver for p gzip has no reason - at `\$.waivers\[0\]`"),
        (
            {"until": "soon"},
            r"Invalid RFC3339 encoded date - at `\$.waivers\[0\].until`.* until \(2026-12-31\)",
        ),
        (
            {"measure": "zip"},
            r"Invalid enum value .zip. - at `\$.waivers\[0\].measure`.* \(stripped, text, gzip\)",
        ),
        ({"why": "x"}, "unknown field `why`"),
        ({"limit": "1"}, "Expected `int`, got `str`"),
    ],
)
def test_invalid_waiver(change: dict[str, object], message: str) -> None:
    document = {"version": 1, "platforms": {}, "waivers": [_WAIVER | change]}
    with pytest.raises(InvalidInput, match=message):
        committed.parse(json.dumps(document).encode(), "sizes.json")
    document["waivers"] = [{key: value for key, value in _WAIVER.items() if key != "until"}]
    with pytest.raises(InvalidInput, match="missing required field `until`"):
        committed.parse(json.dumps(document).encode(), "sizes.json")
    document["waivers"] = [_WAIVER]
    committed.parse(json.dumps(document).encode(), "sizes.json")


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"version": 2}', b'{"version": 1, "x": 1}', b'{"version": 1, "platforms": 1}'],
)
def test_invalid_committed_file(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"sizes\.json"):
        committed.parse(data, "sizes.json")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"p": 1}', b'{"p": {"zip": 1}}', b'{"p": {"gzip": "1"}}']
)
def test_invalid_budgets(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"b\.json"):
        budget.parse_budgets(data, "b.json")
