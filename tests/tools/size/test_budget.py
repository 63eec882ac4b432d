"""Tests of budgets: limits, growth, warnings, waivers, and the committed file."""

import datetime
import json

import pytest
from size_reports import report

from tfcarve.errors import InvalidInput
from tfcarve.size import budget
from tfcarve.size.budget import OVER, WAIVED, WARNING, WITHIN, Committed, Rules, Waiver
from tfcarve.size.compare import summary

_TODAY = datetime.date(2026, 11, 21)
_NONE = Committed({}, ())


def _levels(
    rules: Rules, committed: Committed = _NONE, *, size: int = 6000, today: datetime.date = _TODAY
) -> list[str]:
    return [f.level for f in budget.findings(rules, committed, [report(stripped=size)], today)]


@pytest.mark.parametrize(
    ("size", "level"),
    [(10_001, OVER), (10_000, WARNING), (9_801, WARNING), (9_800, WITHIN), (1, WITHIN)],
)
def test_budget_with_its_warning_band(size: int, level: str) -> None:
    rules = Rules({"linux_arm64": {"stripped": 10_000}}, growth=0, warning=2)
    assert _levels(rules, size=size) == [level]


@pytest.mark.parametrize("measure", ["stripped", "text", "gzip"])
def test_each_measure_has_its_own_budget(measure: str) -> None:
    found = budget.findings(Rules({"linux_arm64": {measure: 1}}, 0, 2), _NONE, [report()], _TODAY)
    assert [(f.level, f.measure, f.limit) for f in found] == [(OVER, measure, 1)]
    assert "over the budget of 1" in found[0].text


@pytest.mark.parametrize(("size", "level"), [(6061, OVER), (6060, WITHIN), (5000, WITHIN)])
def test_growth_in_percent_over_the_committed_figures(size: int, level: str) -> None:
    committed = Committed({"linux_arm64": summary(report(stripped=6000))}, ())
    assert _levels(Rules({}, growth=1, warning=2), committed, size=size)[0] == level


def test_growth_is_told_in_percent() -> None:
    committed = Committed({"linux_arm64": summary(report(stripped=6000))}, ())
    (found, *_) = budget.findings(Rules({}, 0, 2), committed, [report(stripped=6300)], _TODAY)
    assert found.text == (
        "linux_arm64: stripped is 6,300 bytes, +5.00% on the committed 6,000; 0 % is allowed"
    )


def _waiver(limit: int, until: str, measure: str = "stripped") -> Committed:
    day = datetime.date.fromisoformat(until)
    return Committed({}, (Waiver("linux_arm64", measure, limit, "a new model", day),))


@pytest.mark.parametrize(
    ("waiver", "level", "words"),
    [
        (_waiver(6000, "2026-11-21"), WAIVED, "waived until 2026-11-21: a new model"),
        (_waiver(6000, "2026-11-20"), OVER, "(a new model) ended on 2026-11-20"),
        (_waiver(5999, "2026-12-31"), OVER, "more than the 5,999 that are waived"),
        (_waiver(6000, "2026-12-31", "gzip"), OVER, "over the budget"),
    ],
)
def test_waivers_stop_by_themselves(waiver: Committed, level: str, words: str) -> None:
    rules = Rules({"linux_arm64": {"stripped": 5000}}, 0, 2)
    (found,) = budget.findings(rules, waiver, [report(stripped=6000)], _TODAY)
    assert found.level == level
    assert words in found.text


def test_update_ratchets_either_way_and_tells_a_line() -> None:
    committed = Committed({"linux_arm64": summary(report(stripped=6000))}, ())
    for size, delta in ((5500, "-500"), (6500, "+500")):
        new = [report(stripped=size)]
        line = budget.delta_line(committed, new)
        assert line.startswith(f"Size: linux_arm64 stripped {size:,} ({delta}), text ")
        written = budget.parse_committed(budget.updated(committed, new, _TODAY), "sizes.json")
        assert written.reports["linux_arm64"].sizes["stripped"] == size
        assert _levels(Rules({}, 0, 2), written, size=size) == [WITHIN] * 3
        assert _levels(Rules({}, 0, 2), written, size=size + 1)[0] == OVER


def test_update_leaves_out_waivers_that_ended_and_keeps_other_platforms() -> None:
    held, ended = _waiver(1, "2026-11-21").waivers, _waiver(1, "2026-11-20").waivers
    old = Committed({"linux_x86_64": summary(report(platform="linux_x86_64"))}, held + ended)
    written = budget.parse_committed(budget.updated(old, [report()], _TODAY), "s")
    assert written.waivers == held
    assert sorted(written.reports) == ["linux_arm64", "linux_x86_64"]


def test_platform_without_a_report() -> None:
    rules = Rules({"linux_armv7": {"stripped": 1}}, 0, 2)
    with pytest.raises(InvalidInput, match="no report of linux_armv7, which has a budget"):
        budget.findings(rules, _NONE, [report()], _TODAY)


_WAIVER = {"platform": "p", "measure": "gzip", "limit": 1, "reason": "r", "until": "2026-01-01"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reason": " "}, "gives no reason"),
        ({"until": "soon"}, "a day as 2026-12-31 was expected"),
        ({"measure": "zip"}, "there are stripped, text, gzip"),
        ({"why": "x"}, "a waiver has platform, measure, limit, reason, until"),
        ({"limit": "1"}, "a number was expected"),
    ],
)
def test_waiver_that_lacks_something(change: dict[str, object], message: str) -> None:
    document = {"version": 1, "platforms": {}, "waivers": [_WAIVER | change]}
    with pytest.raises(InvalidInput, match=message):
        budget.parse_committed(json.dumps(document).encode(), "sizes.json")
    document["waivers"] = [_WAIVER]
    budget.parse_committed(json.dumps(document).encode(), "sizes.json")


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"version": 2}', b'{"version": 1, "x": 1}', b'{"version": 1, "platforms": 1}'],
)
def test_what_is_no_committed_file(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"sizes\.json"):
        budget.parse_committed(data, "sizes.json")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"p": 1}', b'{"p": {"zip": 1}}', b'{"p": {"gzip": "1"}}']
)
def test_what_are_no_budgets(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"b\.json"):
        budget.parse_budgets(data, "b.json")
