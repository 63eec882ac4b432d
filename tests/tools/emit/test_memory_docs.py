"""Tests of docs/memory.md: its commands are valid, its code is that of the tested app, and its sizes are right."""

import os
import re
import shlex
from pathlib import Path

from tfcarve.cli import parser
from tfcarve.emit import aligned_graph, constant_node


def _file(name: str) -> str:
    return Path(os.environ["RUNFILES_DIR"], os.environ[name]).read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", _file("MEMORY_MD"), re.DOTALL)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_commands() -> None:
    found = _blocks("sh")
    assert len(found) == 2
    for block in found:
        program, *arguments = shlex.split(block)
        assert program == "tfcarve"
        parser().parse_args(arguments)


def test_code() -> None:
    (block,) = _blocks("cpp")
    documented, tested = _lines(block), _lines(_file("APP_TEST"))
    assert any(tested[i : i + len(documented)] == documented for i in range(len(tested)))


def test_sizes() -> None:
    text = _file("MEMORY_MD")
    assert f"{constant_node.LARGE:,} bytes" in text
    assert f"multiple of {aligned_graph.ALIGNMENT}" in text
