"""Command lines in the advice of messages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

_PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")


def commands(text: str, values: Mapping[str, str]) -> Iterator[list[str]]:
    """Yields the arguments of each command line `tfcarve COMMAND MODEL --option value …` in a text.

    Args:
      text: advice.
      values: the values of MODEL and other names in capital letters.

    Raises:
      AssertionError: the text has no command line, or a name has no value.
    """
    words = shlex.split(text)
    starts = [index for index, word in enumerate(words) if word == "tfcarve"]
    assert starts, f"{text}: names no command"
    for start in starts:
        found = words[start + 1 : start + 3]
        rest = words[start + 3 :]
        while rest and rest[0].startswith("--") and not found[-1].endswith((",", ";")):
            found += rest[:2]
            rest = rest[2:]
        replaced = [_PLACEHOLDER.sub(lambda name: values[name[0]], word) for word in found]
        yield [word.rstrip(",;") for word in replaced]
