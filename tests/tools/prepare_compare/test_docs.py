"""docs/prepare.md: the commands of Compare and Diff print the output shown, and the BUILD file is that of the app."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfcarve.cli import main

_FILES = {
    "PREPARE_MD": "docs/prepare.md",
    "APP_BUILD": "tests/e2e/bzlmod/prepared/BUILD",
    "SAMPLES": "tests/e2e/bzlmod/prepared/samples.npz",
    "SOURCE": "tests/e2e/bzlmod/prepared/source.pbtxt",
}
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d[\d.,]*(?:e-\d+)?")


def _file(key: str) -> Path:
    if key in os.environ:
        return Path(os.environ["RUNFILES_DIR"], os.environ[key])
    return Path(__file__).parents[3] / _FILES[key]


def _blocks(section: str) -> list[tuple[str, str]]:
    """The language and text of each code block of a section."""
    text = _file("PREPARE_MD").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return _BLOCK.findall(found)


def _examples(section: str) -> Iterator[tuple[list[str], str]]:
    """The commands of each block, and their output."""
    blocks = _blocks(section)
    for (kind, commands), (printed_kind, printed) in zip(blocks[::2], blocks[1::2], strict=True):
        assert (kind, printed_kind) == ("sh", "text")
        yield commands.splitlines(), printed


def _normalized(text: str) -> list[str]:
    """The lines without whitespace and digits, which depend on the processor."""
    return [" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines()]


@pytest.mark.parametrize(("section", "count"), [("Compare", 2), ("Diff", 1)])
def test_output_of_commands(
    section: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, key in (("source.pbtxt", "SOURCE"), ("samples.npz", "SAMPLES")):
        Path(name).write_bytes(_file(key).read_bytes())
    assert main(["transform", "source.pbtxt", "-o", "model.pb", "--preset", "mobile"]) == 0
    examples = list(_examples(section))
    assert len(examples) == count
    for commands, shown in examples:
        for command in commands:
            program, *words = shlex.split(command)
            assert program == "tfcarve"
            capsys.readouterr()
            status = main(words)
        printed = capsys.readouterr()
        assert _normalized(shown) == _normalized(printed.err if status else printed.out)


def test_build_file_is_that_of_the_app() -> None:
    ((kind, text),) = _blocks("tf_prepared_model")
    assert kind == "starlark"
    assert text in _file("APP_BUILD").read_text(encoding="utf-8")
