"""TensorFlow's tests of its Flex delegate, on a carved one: buffer_map_test, kernel_test and delegate_test.

The sources are those of TensorFlow's tree, and so is the interpreter that runs the delegate. Only the helper that creates
their models is tfcarve's.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from demo import nested
from tfcarve.app.workspace import Workspace

# The test cases of each source.
_CASES = {"buffer_map_test": 12, "delegate_test": 17, "kernel_test": 14}


@pytest.fixture(scope="module", name="app")
def _app() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / "tests/flex/upstream", "flex_upstream") as workspace:
        yield workspace


@pytest.mark.parametrize("name", _CASES)
def test_upstream(name: str, app: Workspace) -> None:
    done = app.bazel(["test", f"//:{name}", "--test_output=all", "--noshow_progress"])
    assert done.returncode == 0, done.stdout
    assert f"[  PASSED  ] {_CASES[name]} tests." in done.stdout
