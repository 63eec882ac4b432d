"""The workspaces that benchmarks build libraries in: copies of tests/e2e/bzlmod, one for each name."""

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
    """Opens the workspace, built by this repository's bazelw where TFCARVE_BAZELW names no other."""
    os.environ.setdefault("TFCARVE_BAZELW", str(_BAZELW))
    with nested.opened(nested.source_tree() / APP, name) as workspace:
        yield workspace
