"""Progress bars on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called with the current step, how many items are done, and how many there are.
Progress = Callable[[str, int, int], None]


@contextmanager
def shown() -> Iterator[Progress]:
    """Yields a function that shows progress on standard error if standard error is a terminal, else does nothing."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import Progress as Bar  # slow to load

    with Bar(transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show
