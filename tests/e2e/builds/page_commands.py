"""Runs the commands of a page of the documentation in an app's folder, and compares what they print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from demo import nested
from docs.blocks import Block, blocks, commands
from tfcarve.app.workspace import Workspace
from tfcarve.cli import main

_NUMBER = re.compile(r"\d[\d.,]*(?:e-\d+)?")


def page(name: str) -> list[Block]:
    """Returns the fenced blocks of docs/NAME."""
    return blocks((nested.source_tree() / "docs" / name).read_text(encoding="utf-8"))


Program = Callable[[Sequence[str]], tuple[int, str]]


def program(*command: str) -> Program:
    """Returns a function that runs a command with further words; it returns the exit status and the output."""

    def run(words: Sequence[str]) -> tuple[int, str]:
        done = subprocess.run([*command, *words], capture_output=True, check=False, text=True)
        return done.returncode, done.stdout if done.returncode == 0 else done.stderr

    return run


def _programs(app: Workspace, capsys: pytest.CaptureFixture[str]) -> dict[str, Program]:
    """The functions that run the commands, in this test's own environment."""

    def tfcarve(words: Sequence[str]) -> tuple[int, str]:
        capsys.readouterr()
        status = main(list(words))
        printed = capsys.readouterr()
        return status, printed.out if status == 0 else printed.err

    def bazel(words: Sequence[str]) -> tuple[int, str]:
        done = app.bazel([words[0], "--noshow_progress", "--test_output=errors", *words[1:]])
        return done.returncode, done.stdout

    return {"python": program(sys.executable), "tfcarve": tfcarve, "bazel": bazel}


def _normalized(text: str) -> list[str]:
    """The lines with numbers, which may differ on another CPU, and whitespace replaced."""
    return [" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines()]


def run(
    page_blocks: list[Block],
    app: Workspace,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    others: Mapping[str, Program] = MappingProxyType({}),
) -> int:
    """Runs the commands of a page in a folder of the app and returns their number.

    `others` run commands in another environment than that of the test, by the commands' names.

    Fails if a command fails or prints something else than the page shows.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PWD", str(folder))
    programs = _programs(app, capsys) | others
    pairs = commands(page_blocks)
    for command, shown in pairs:
        name, *words = shlex.split(os.path.expandvars(command))
        status, printed = programs[name](words)
        assert status == 0, f"{command}\n{printed}"
        if name == "bazel":
            assert set(_normalized(shown)) <= set(_normalized(printed)), command
        elif shown:
            assert _normalized(shown) == _normalized(printed)[-len(shown.splitlines()) :], command
    return len(pairs)


def require_starlark(page_blocks: Sequence[Block], build: Path) -> None:
    """Checks that the Starlark blocks of a page are in a BUILD file."""
    texts = [block.text for block in page_blocks if block.kind == "starlark"]
    content = build.read_text(encoding="utf-8")
    assert texts
    assert all(text in content for text in texts)
