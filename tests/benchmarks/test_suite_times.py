"""Times of tests from Bazel's files, and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.builds import suite_times
from benchmarks.builds.suite_times import Ran

_RESULT = (
    '{{"id":{{"testResult":{{"label":"{label}"}}}},'
    '"testResult":{{"status":"{status}","testAttemptDuration":"{seconds}s"}}}}'
)


def test_tests() -> None:
    lines = [
        '{"id":{"started":{}}}',
        _RESULT.format(label="//a:one", status="PASSED", seconds="1.500"),
        _RESULT.format(label="//a:two", status="FAILED", seconds="2"),
        # A test that Bazel did not run.
        '{"id":{"testResult":{"label":"//a:three"}},"aborted":{"reason":"USER_INTERRUPTED"}}',
    ]
    assert suite_times.tests(lines) == ({"//a:one": 1.5, "//a:two": 2.0}, ("//a:two",))


def test_nested_builds() -> None:
    events = [
        {"name": "thread_name"},
        {"dur": 2_500_000, "args": {"mnemonic": "TfNestedBuild", "target": "//a:libraries"}},
        {"dur": 1_000_000, "args": {"mnemonic": "CppCompile", "target": "//a:b"}},
    ]
    assert suite_times.nested_builds({"traceEvents": events}) == {"//a:libraries": 2.5}


def test_page_has_the_longest_first() -> None:
    ran = [
        Ran("demo", 480.0, 3_000_000_000, {}, last_line="Time: 8 min"),
        Ran("test", 1500.0, 7_900_000_000, {"//a:short": 1.0, "//a:long": 91.0, "//a:tiny": 0.2}),
    ]
    reasons = {"//a:long": "it is slow", "//a:short": "it was slow"}
    text = "\n".join(suite_times.tables(ran, reasons))
    assert "| `demo` |" in text
    assert "3.0 GB" in text and "7.9 GB" in text
    assert text.index("Time: 8 min") < text.index("`a:long`") < text.index("`a:short`")
    assert "it is slow" in text
    assert "it was slow" not in text
    assert "a:tiny" not in text
    assert "Targets that took less than a second each: 1." in text


def test_without_reason() -> None:
    ran = [Ran("test", 300.0, 0, {"//a:one": 91.0, "//a:two": 95.0, "//a:short": 90.0})]
    assert suite_times.without_reason(ran, {"//a:two": "it is slow"}) == ["//a:one"]


def test_output_of_a_command_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sh", "-c", 'echo one; echo "in $PWD"; echo; exit 3']
    status, last = suite_times._shown(words, tmp_path, {"PATH": "/usr/bin:/bin"})
    assert (status, last) == (3, f"in {tmp_path}")
    assert capsys.readouterr().out == f"one\nin {tmp_path}\n\n"
