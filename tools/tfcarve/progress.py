"""Progress on a terminal: what is going on, never a word into a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfcarve.registry.scan import Progress


@contextmanager
def shown() -> "Iterator[Progress]":
    """Gives a function that shows progress on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import Progress as Bar  # loaded only where somebody looks

    with Bar(transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show
