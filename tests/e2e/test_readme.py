"""The README's code and commands are those that tests run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from docs.blocks import blocks, contains, lines

ROOT = Path(os.environ["RUNFILES_DIR"]) / "_main"
README = (ROOT / "README.md").read_text(encoding="utf-8")
APP = ROOT / "tests/e2e/bzlmod"

# Each command of the README to the file that runs it.
RUN_BY = {
    "./bazelw run //:demo": "tests/e2e/test_demo.py",
    "./bazelw test //...": ".ci/run",
}


def _blocks(language: str) -> list[str]:
    return [block.text for block in blocks(README) if block.kind == language]


@pytest.mark.parametrize(
    ("language", "count"), [("starlark", 5), ("cpp", 1), ("cmake", 2), ("make", 1)]
)
def test_code_is_that_of_the_apps(language: str, count: int) -> None:
    found = _blocks(language)
    assert len(found) == count
    files = [
        lines(file.read_text())
        for file in (
            APP / "MODULE.bazel",
            APP / "BUILD",
            APP / "app_test.cc",
            APP.parent / "cmake/CMakeLists.txt",
            APP.parent / "make/Makefile",
        )
    ]
    for block in found:
        assert any(contains(file, lines(block)) for file in files), f"not in the app:\n{block}"


def test_commands_are_run_by_a_test() -> None:
    commands = [line for block in _blocks("sh") for line in lines(block)]
    assert sorted(commands) == sorted(RUN_BY)
    for command, runner in RUN_BY.items():
        target = command.split()[-1]
        assert target in (ROOT / runner).read_text(encoding="utf-8"), f"{runner}: no {target}"


def test_output_of_the_demo() -> None:
    assert "@" not in "".join(_blocks("text")), "a placeholder is left"
    assert re.search(r"^linux_arm64 +[\d,]+ +[\d,]+ +\d", _blocks("text")[0], re.MULTILINE)
