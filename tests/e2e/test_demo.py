"""The program of `./bazelw run //:demo`, with its output in a pipe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import extent

_HOST = "linux_x86_64"
# The project's limits for the stripped library of Inception v3 with default options.
_MAX_BYTES = {"linux_x86_64": 680_000, "linux_arm64": 615_000}


def _demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "demo.inception", *arguments],
        check=False,
        text=True,
        capture_output=True,
    )


def _sizes(output: str) -> list[str]:
    return re.findall(r"^linux_\w+ +[\d,]+.*$", output, re.MULTILINE)


@pytest.fixture(scope="module")
def first() -> subprocess.CompletedProcess[str]:
    return _demo()


def test_succeeds_without_messages_on_stderr(first: subprocess.CompletedProcess[str]) -> None:
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""


def test_one_line_for_each_stage(first: subprocess.CompletedProcess[str]) -> None:
    stages = re.findall(r"^\[(\d)/7\] (\w+)", first.stdout, re.MULTILINE)
    names = ["model", "selection", "linux_x86_64", "linux_arm64", "run", "sizes", "speed"]
    assert stages == [(str(number), name) for number, name in enumerate(names, 1)]
    assert re.search(r"\d+ ops, \d+ kernels, \d+ source files", first.stdout)


@pytest.mark.parametrize("platform", sorted(_MAX_BYTES))
def test_libraries_are_small_and_correct(
    first: subprocess.CompletedProcess[str], platform: str
) -> None:
    row = re.search(rf"^{platform} +([\d,]+) +([\d,]+) +(\S+)$", first.stdout, re.MULTILINE)
    assert row is not None, first.stdout
    stripped, packed = (int(figure.replace(",", "")) for figure in row.groups()[:2])
    assert packed < stripped <= _MAX_BYTES[platform]
    assert float(row.group(3)) <= 1e-5
    folder = re.search(rf"\] {platform} .*\n +(\S+)$", first.stdout, re.MULTILINE)
    assert folder is not None
    library = Path(folder.group(1)).expanduser() / "libtensorflow-core.so"
    assert library.stat().st_size == stripped


def test_inference_is_timed_here_and_in_full_tensorflow(
    first: subprocess.CompletedProcess[str],
) -> None:
    found = re.search(
        r"on one thread: (\d+) ms, full TensorFlow (\d+) ms \(([\d.]+) times\)", first.stdout
    )
    assert found is not None, first.stdout
    carved, full = int(found[1]), int(found[2])
    assert carved > 0 and full > 0
    assert float(found[3]) == pytest.approx(carved / full, rel=0.1)


def test_last_line_has_the_time_of_each_kind(first: subprocess.CompletedProcess[str]) -> None:
    kinds = "before the first step|model|run|sizes|speed|download|index|compile|link|other"
    last = first.stdout.splitlines()[-1]
    time_of = r"(?:\d+ min )?[\d.]+ s"
    assert re.fullmatch(rf"Time: {time_of}:(?: (?:{kinds}) {time_of},?){{10}}", last), last


# By name, because it runs the model in TensorFlow again.
@pytest.mark.parametrize("platform", extent.some([_HOST]))
def test_second_run_compiles_nothing(
    first: subprocess.CompletedProcess[str], platform: str
) -> None:
    second = _demo(f"--platform={platform}")
    assert "compile 0.0 s, link 0.0 s" in second.stdout.splitlines()[-1]
    assert "cached by an earlier run" in second.stdout
    (size,) = _sizes(second.stdout)
    assert size in _sizes(first.stdout)


def test_unknown_platform_is_refused() -> None:
    done = _demo("--platform=vax")
    assert done.returncode == 2
    assert "linux_arm64" in done.stderr
