"""Counting test targets from build events."""

import json
from pathlib import Path
from typing import Any

import pytest

from bootstrap.test_counts import count, main


def configured(label: str, test: bool = True) -> dict[str, Any]:
    details = {"targetKind": "x rule", **({"testSize": "SMALL"} if test else {})}
    return {"id": {"targetConfigured": {"label": label}}, "configured": details}


def summary(label: str, status: str) -> dict[str, Any]:
    return {
        "id": {"testSummary": {"label": label}},
        "testSummary": {"overallStatus": status},
    }


def aborted(kind: str, label: str, reason: str) -> dict[str, Any]:
    return {"id": {kind: {"label": label}}, "aborted": {"reason": reason}}


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ([], "0 passed, 0 failed"),
        ([configured("//:a"), summary("//:a", "PASSED")], "1 passed, 0 failed"),
        ([configured("//:a"), summary("//:a", "FAILED")], "0 passed, 1 failed"),
        ([configured("//:a"), summary("//:a", "TIMEOUT")], "0 passed, 1 failed"),
        ([configured("//:a")], "0 passed, 1 failed"),
        ([configured("//:library", test=False)], "0 passed, 0 failed"),
        ([aborted("targetConfigured", "//:a", "ANALYSIS_FAILURE")], "0 passed, 1 failed"),
        (
            [configured("//:a"), aborted("targetCompleted", "//:a", "SKIPPED")],
            "0 passed, 0 failed",
        ),
    ],
)
def test_counts(events: list[dict[str, Any]], line: str) -> None:
    assert count(json.dumps(event) for event in events).line() == line


def test_interrupted_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.json"
    passed = json.dumps(configured("//:a")) + "\n" + json.dumps(summary("//:a", "PASSED"))
    events.write_text(f"{passed}\n{json.dumps(configured('//:b'))}\n" + '{"id": {"testSu')
    assert main([str(events)]) == 1
    assert capsys.readouterr().out == "failed: //:b\n1 passed, 1 failed\n"


def test_missing_file_is_a_failure(tmp_path: Path) -> None:
    assert main([str(tmp_path / "none")]) == 1
