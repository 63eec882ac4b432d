"""The workspaces in which benchmarks build libraries: named copies of tests/e2e/bzlmod."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo import nested
from demo.inception import APP
from demo.nested import Workspace

_BAZELW = Path(__file__).parents[1] / "bazelw"


@contextmanager
def opened(name: str) -> Iterator[Workspace]:
    """Opens the workspace `name`; builds run this repository's bazelw unless TFCARVE_BAZELW names another."""
    os.environ.setdefault("TFCARVE_BAZELW", str(_BAZELW))
    with nested.opened(nested.source_tree() / APP, name) as workspace:
        yield workspace
