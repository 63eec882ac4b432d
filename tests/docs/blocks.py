"""The fenced blocks of pages."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        kind: the word after its fence.
        text: its lines, without the indentation of the fence.
    """

    kind: str
    text: str


def blocks(markdown: str) -> list[Block]:
    """Returns the fenced blocks of a page, in their order."""
    return [
        Block(kind, textwrap.dedent(text) if indent else text)
        for indent, kind, text in _BLOCK.findall(markdown)
    ]


def commands(found: list[Block]) -> list[tuple[str, str]]:
    """Returns the text of each sh block with that of the text block after it, which shows the output; "" without one."""
    following = [*found[1:], Block("", "")]
    return [
        (block.text, after.text if after.kind == "text" else "")
        for block, after in zip(found, following, strict=True)
        if block.kind == "sh"
    ]


def lines(text: str) -> list[str]:
    """Returns the lines of a text that are not blank, without the space around them."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def contains(text: list[str], block: list[str]) -> bool:
    """Whether the lines of a block are consecutive lines of a text."""
    return any(text[i : i + len(block)] == block for i in range(len(text) - len(block) + 1))
