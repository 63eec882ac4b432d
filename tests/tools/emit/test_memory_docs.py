"""docs/memory.md: its commands are ones that there are, and its code is the app's."""

import os
import re
import shlex
from pathlib import Path

from tfcarve.cli import parser
from tfcarve.emit import aligned_graph


def _file(name: str) -> str:
    return Path(os.environ["RUNFILES_DIR"], os.environ[name]).read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", _file("MEMORY_MD"), re.DOTALL)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_commands() -> None:
    (block,) = _blocks("sh")
    program, *arguments = shlex.split(block)
    assert program == "tfcarve"
    parser().parse_args(arguments)


def test_code() -> None:
    (block,) = _blocks("c")
    wanted, there = _lines(block), _lines(_file("APP_TEST"))
    assert any(there[i : i + len(wanted)] == wanted for i in range(len(there)))


def test_sizes() -> None:
    text = _file("MEMORY_MD")
    assert f"{aligned_graph.LARGE:,} bytes" in text
    assert f"multiple of {aligned_graph.ALIGNMENT}" in text
