"""All tracked text: no banned phrase, no misspelling."""

from __future__ import annotations

import subprocess
import sys

import pytest

from docs import words
from docs.tree import ROOT, tracked

_EXTENSIONS = (
    ".py",
    ".bzl",
    ".BUILD",
    ".md",
    ".yaml",
    ".yml",
    ".j2",
    ".cc",
    ".h",
    ".sh",
    ".toml",
    ".c",
)
# They hold the phrases.
_EXCEPTIONS = {"tests/docs/words.py", "tests/docs/test_words.py"}


def _texts() -> list[str]:
    return [
        name
        for name in tracked()
        if (name.endswith(_EXTENSIONS) or name.rpartition("/")[2] in ("BUILD", "bazelw"))
        and name not in _EXCEPTIONS
    ]


def test_no_banned_phrase() -> None:
    found = [
        f"{name}:{line}: {phrase!r}: write {instead}"
        for name in _texts()
        for line, phrase, instead in words.findings((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join([f"{len(found)} banned phrases:", *found])


@pytest.mark.parametrize(
    "text",
    [
        "It reads what others wrote.",
        "tensorflow, which it has not.",
        "a file\n# that stands in\n# place of another",
        "// takes the\n// place of it",
        "Of these there are none.",
        "It can be had where Python is installed.",
        "## Whom this stops",
        "It reads the told of the build.",
        "Each ask is an attribute.",
    ],
)
def test_phrases_are_found(text: str) -> None:
    ((line, _, instead),) = words.findings(text)
    assert instead and 1 <= line <= 2


@pytest.mark.parametrize(
    "text",
    [
        "It has not been measured.",
        "There are no kernels.",
        "in place",
        "at most two",
        "It is on its way.",
        "A rule asks for a toolchain, and the user was told.",
    ],
)
def test_right_english_is_not_found(text: str) -> None:
    assert not words.findings(text)


def test_spelling() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", *_texts()],
        capture_output=True,
        check=False,
        cwd=ROOT,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_spelling_finds_a_mistake() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "-"],
        capture_output=True,
        check=False,
        cwd=ROOT,
        input="It is seperate.\n",
        text=True,
    )
    assert done.returncode != 0
