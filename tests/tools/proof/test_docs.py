"""Tests that the commands in docs/proof.md parse, and that its BUILD text is that of the end-to-end app."""

import os
import re
import shlex
from pathlib import Path

from tfcarve.cli import parser


def _file(name: str) -> str:
    return Path(os.environ["RUNFILES_DIR"], os.environ[name]).read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", _file("PROOF_MD"), re.DOTALL)


def test_commands() -> None:
    commands = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(commands) == 3
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "tfcarve"
        parser().parse_args(arguments)


def test_build_text() -> None:
    (block,) = _blocks("starlark")
    assert block in _file("APP_BUILD")
