"""The commands that a page of the documentation shows, and their output."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from tfcarve.cli import main

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROOT = Path(__file__).parents[3]


def runfile(key: str, path: str) -> Path:
    """Returns the file that the environment variable `key` names, or without Bazel the repository's file `path`."""
    if key in os.environ:
        return Path(os.environ["RUNFILES_DIR"], os.environ[key])
    return _ROOT / path


def section(text: str, title: str) -> str:
    """Returns a section of a page, with its subsections."""
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return str(found)


def blocks(text: str) -> list[tuple[str, str]]:
    """Returns the language and the text of each code block."""
    return _BLOCK.findall(text)


def paired(found: Iterable[tuple[str, str]]) -> Iterator[tuple[list[str], str]]:
    """Yields the commands of each `sh` block, and the output in the `text` block after it."""
    commands: list[str] = []
    for kind, text in found:
        if commands:
            assert kind == "text", text
            yield commands, text
        commands = text.splitlines() if kind == "sh" else []
    assert not commands


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def require_shown(shown: str, printed: str) -> None:
    """Checks that a command printed the output that a page shows, in which a line … is any number of lines."""
    rest = _lines(printed)
    parts = [_lines(part) for part in shown.split("…\n")]
    assert rest[: len(parts[0])] == parts[0]
    assert rest[len(rest) - len(parts[-1]) :] == parts[-1]
    text = "\n".join(rest)
    for part in parts:
        assert "\n".join(part) in text


def run(command: str) -> int:
    """Runs a command line of tfcarve and returns its status."""
    program, *words = shlex.split(command)
    assert program == "tfcarve"
    return main(words)
