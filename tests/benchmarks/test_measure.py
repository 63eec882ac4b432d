"""Tests of measuring programs: independent of the process that starts them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks import measure

_LARGE = 200_000_000


def _python(code: str) -> measure.Usage:
    return measure.run([sys.executable, "-S", "-c", code])


def test_peak_memory_is_the_programs_own() -> None:
    held = bytearray(b"1") * _LARGE  # in this process
    small = _python("")
    assert 1_000_000 < small.peak < _LARGE / 4 < len(held)
    # Control: a program that allocates as much, and frees it before it ends.
    assert _LARGE < _python(f"bytearray(b'1') * {_LARGE}").peak < 2 * _LARGE


def test_children_count() -> None:
    large = _python(
        "import subprocess, sys; "
        f"subprocess.run([sys.executable, '-c', \"bytearray(b'1') * {_LARGE}\"], check=True)"
    )
    assert large.peak > _LARGE


def test_times() -> None:
    slept = _python("import time; time.sleep(0.3)")
    assert slept.cpu < 0.3 <= slept.wall
    worked = _python("import time\nwhile time.process_time() < 0.3: pass")
    assert worked.cpu >= 0.3


@pytest.mark.parametrize(("code", "status"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137)])
def test_failing_program(code: str, status: int) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        _python(f"import os, sys; print('why', file=sys.stderr, flush=True); {code}")
    assert (failed.value.returncode, failed.value.stderr) == (status, "why\n")


def test_missing_program() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        measure.run(["no-such-program"])
    assert "no-such-program" in failed.value.stderr
