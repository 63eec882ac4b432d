"""The sources of kernels that ask for something by name, in themselves or in the headers that they include."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from tfcarve.build_files import sources


def finder(
    root: Path, pattern: re.Pattern[str], declaring: tuple[str, ...]
) -> Callable[[str], bool]:
    """Returns a function that tells whether a source asks.

    Args:
      root: TensorFlow's tree.
      pattern: what a file that asks contains.
      declaring: the headers in tensorflow/core/framework that declare it and do not ask, without extension.
    """
    files = sources.below(root)
    ignored = {f"tensorflow/core/framework/{name}.h" for name in declaring}

    @functools.cache
    def matches(path: str) -> bool:
        file = root / path
        return file.is_file() and bool(pattern.search(file.read_text(errors="replace")))

    def asks(source: str) -> bool:
        return any(map(matches, {source, *files.closure([source])} - ignored))

    return asks
