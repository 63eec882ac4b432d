"""What a changed model compiles again: only what differs. With a library for models of one or two ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace

tf1 = tf.compat.v1

_PACKAGE = "rebuilds"
_TARGET = f"//{_PACKAGE}:library"
_RELEASE = f"//{_PACKAGE}:release"
_HOST = "linux_x86_64"
_MANIFEST = "manifest"


def _graph(compute: Callable[[Any], Any], name: str = "hidden") -> Any:
    with tf.Graph().as_default() as graph:
        hidden = tf.identity(compute(tf1.placeholder(tf.float32, [2, 2], name="x")), name=name)
        tf.identity(hidden, name="output")
    return graph.as_graph_def()


_FIRST = _graph(tf.nn.relu)
_RENAMED = _graph(tf.nn.relu, "renamed")
# It needs another kernel of the first model's unit, and another unit.
_SECOND = _graph(lambda x: tf.nn.softplus(tf.nn.relu6(x)))


def _place(app: Workspace, folder: Path, **graphs: Any) -> None:
    """Makes these the models that the library is carved for."""
    app.place(_PACKAGE, app_workspace.write_graphs(graphs, folder), "*.pb")


@pytest.fixture(name="app")
def _app(tmp_path: Path) -> Iterator[Workspace]:
    """The app with the library for the first model built."""
    with app_workspace.opened() as workspace:
        _place(workspace, tmp_path, first=_FIRST)
        workspace.build([_TARGET])
        yield workspace


def test_rebuild_compiles_nothing(app: Workspace) -> None:
    assert app_workspace.count_compiles(app, [_TARGET]).compiles == ()


def test_release_for_the_host_compiles_nothing(app: Workspace) -> None:
    """Without --platforms, a library is built for the host's platform of the table."""
    counted = app_workspace.count_compiles(app, [_RELEASE], [f"--output_groups={_HOST}"])
    assert [spawn for spawn in counted.compiles if not spawn.cached] == []


def test_renamed_node_compiles_the_manifest_only(app: Workspace, tmp_path: Path) -> None:
    before = app_workspace.units(app, _TARGET)
    _place(app, tmp_path, first=_RENAMED)
    assert app_workspace.count_compiles(app, [_TARGET]).sources() == {_MANIFEST}, (
        "only the manifest has the model's digest"
    )
    assert app_workspace.units(app, _TARGET) == before


def test_second_model_compiles_changed_units_only(app: Workspace, tmp_path: Path) -> None:
    before = app_workspace.units(app, _TARGET)
    _place(app, tmp_path, first=_FIRST, second=_SECOND)
    counted = app_workspace.count_compiles(app, [_TARGET])
    after = app_workspace.units(app, _TARGET)
    changed = {name for name, content in after.items() if before.get(name) != content}
    assert before.keys() <= after.keys()
    # A unit may be cached by an earlier run of this test.
    assert counted.sources() <= changed | {_MANIFEST}, "other sources are compiled"
    relu, softplus = (
        {name for name in after if name.endswith(f"__{source}_op")}
        for source in ("relu", "softplus")
    )
    assert relu <= changed & before.keys(), "both models need kernels of it"
    assert softplus <= changed - before.keys(), "only the second model needs it"
    assert relu and softplus
    assert before.keys() - changed, "units that both need in the same way"
    assert {spawn.target for spawn in counted.compiles} == {_TARGET}, "the core is compiled"
