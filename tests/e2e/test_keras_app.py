"""Runs the ten commands of docs/keras.md, from a Keras model to an app."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from demo import nested
from demo.nested import Workspace
from e2e import app_workspace
from tfcarve.cli import main

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d[\d.,]*(?:e-\d+)?")


def _document() -> str:
    return (nested.source_tree() / "docs/keras.md").read_text(encoding="utf-8")


def _commands() -> Iterator[tuple[str, str]]:
    """Yields each command and its documented output: the last lines that it prints."""
    blocks = _BLOCK.findall(_document())
    for (kind, text), (next_kind, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "sh":
            yield text.strip(), shown if next_kind == "text" else ""


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _programs(
    app: Workspace, capsys: pytest.CaptureFixture[str]
) -> dict[str, Callable[[Sequence[str]], tuple[int, str]]]:
    """The functions that run the commands; each returns the exit status and the output."""

    def python(words: Sequence[str]) -> tuple[int, str]:
        done = subprocess.run([sys.executable, *words], capture_output=True, check=False, text=True)
        return done.returncode, done.stdout if done.returncode == 0 else done.stderr

    def tfcarve(words: Sequence[str]) -> tuple[int, str]:
        capsys.readouterr()
        status = main(list(words))
        printed = capsys.readouterr()
        return status, printed.out if status == 0 else printed.err

    def bazel(words: Sequence[str]) -> tuple[int, str]:
        done = app.bazel([words[0], "--noshow_progress", "--test_output=errors", *words[1:]])
        return done.returncode, done.stdout

    return {"python": python, "tfcarve": tfcarve, "bazel": bazel}


def _normalized(text: str) -> list[str]:
    """The lines with numbers, which may differ on another CPU, and whitespace replaced."""
    return [" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines()]


def test_ten_commands(
    app: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = app.folder / "digits"
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PWD", str(folder))
    programs = _programs(app, capsys)
    commands = list(_commands())
    assert len(commands) == 10
    for command, shown in commands:
        program, *words = shlex.split(os.path.expandvars(command))
        status, printed = programs[program](words)
        assert status == 0, f"{command}\n{printed}"
        if program == "bazel":
            assert set(_normalized(shown)) <= set(_normalized(printed)), command
        elif shown:
            assert _normalized(shown) == _normalized(printed)[-len(shown.splitlines()) :], command


def test_code_of_the_docs_is_the_apps(app: Workspace) -> None:
    texts = [text for kind, text in _BLOCK.findall(_document()) if kind == "starlark"]
    build = Path(app.folder, "digits/BUILD").read_text(encoding="utf-8")
    assert texts
    assert all(text in build for text in texts)
