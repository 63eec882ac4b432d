"""The workspaces in which benchmarks build libraries: named copies of the tests' apps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo import nested
from demo.inception import APP
from tfcarve.app.workspace import Workspace
from tfcarve.releases import known

# Building it compiles all sources of the runtime, including the optional ones.
WHOLE_RUNTIME = (
    f"@tfcarve//third_party/tensorflow/releases/{known.default_name()}:update_optional_sources"
)
BAZELW = Path(__file__).parents[1] / "bazelw"


def platform_flag(platform: str) -> str:
    """Returns the flag that builds for one of tfcarve's platforms."""
    return f"--platforms=@tfcarve//rules/platforms:{platform}"


@contextmanager
def opened(name: str, app: str | Path = APP) -> Iterator[Workspace]:
    """Opens the workspace `name`, a copy of a folder of this repository.

    Builds run this repository's bazelw unless TFCARVE_BAZELW names another.
    """
    os.environ.setdefault("TFCARVE_BAZELW", str(BAZELW))
    with nested.opened(nested.source_tree() / app, name) as workspace:
        yield workspace
