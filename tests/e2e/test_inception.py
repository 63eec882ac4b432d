"""Inception v3's library: it runs the model, refuses another one, and rebuilds only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tensorflow.core.framework import graph_pb2

from demo import library
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.inception import RELEASE
from demo.nested import Workspace
from e2e import app_workspace

HOST = "linux_x86_64"
_MANIFEST = "manifest"
PLATFORMS = (HOST, "linux_arm64")
TARGET = "//inception:inception"


@pytest.fixture(scope="module")
def inception() -> CachedModel:
    return app_workspace.model("inception_v3")


@pytest.fixture(scope="module")
def mobilenet() -> CachedModel:
    return app_workspace.model("mobilenet_v2")


@pytest.fixture(scope="module")
def opened() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


@pytest.fixture
def app(opened: Workspace, inception: CachedModel) -> Iterator[Workspace]:
    """The app with Inception's library built, for no other model."""
    app_workspace.use_models(opened, [inception])
    opened.build([TARGET])
    yield opened
    app_workspace.use_models(opened, [inception])


@pytest.mark.parametrize("platform", PLATFORMS)
def test_output_is_full_tensorflows(app: Workspace, inception: CachedModel, platform: str) -> None:
    answer = library.run(app_workspace.build_library(app, platform), inception)
    assert answer.status == 0, answer.message
    assert answer.output is not None
    expected = np.load(inception.output)
    assert expected.max() > 0.1, "the classes do not differ"
    assert library.largest_difference(answer.output, expected) <= TOLERANCE


def test_other_model_is_refused(app: Workspace, mobilenet: CachedModel) -> None:
    answer = library.run(app_workspace.build_library(app, HOST), mobilenet)
    assert answer.status == 1
    assert "\n  op Relu6, for node " in answer.message
    assert answer.output is None


def test_rebuild_compiles_nothing(app: Workspace) -> None:
    assert app_workspace.count_compiles(app, [TARGET]).compiles == ()


def test_release_for_the_host_compiles_nothing(app: Workspace) -> None:
    counted = app_workspace.count_compiles(app, [RELEASE], [f"--output_groups={HOST}"])
    assert [spawn for spawn in counted.compiles if not spawn.cached] == []


def test_renamed_node_compiles_the_manifest_only(
    app: Workspace, inception: CachedModel, tmp_path: Path
) -> None:
    graph = graph_pb2.GraphDef.FromString(inception.model.read_bytes())
    renamed = tmp_path / inception.model.name
    renamed.write_bytes(_with_renamed_node(graph).SerializeToString())
    before = app_workspace.units(app)
    app.place("inception", {renamed.name: renamed}, "*.pb")
    assert app_workspace.count_compiles(app, [TARGET]).sources() == {_MANIFEST}, (
        "only the manifest has the model's digest"
    )
    assert app_workspace.units(app) == before


def _with_renamed_node(graph: graph_pb2.GraphDef) -> graph_pb2.GraphDef:
    old = next(node.name for node in graph.node if node.op == "Conv2D")
    for node in graph.node:
        if node.name == old:
            node.name = "renamed"
        node.input[:] = ["renamed" if name == old else name for name in node.input]
    return graph


def test_second_model_compiles_changed_units_only(
    app: Workspace, inception: CachedModel, mobilenet: CachedModel
) -> None:
    before = app_workspace.units(app)
    app_workspace.use_models(app, [inception, mobilenet])
    counted = app_workspace.count_compiles(app, [TARGET])
    after = app_workspace.units(app)
    changed = {name for name, content in after.items() if before.get(name) != content}
    assert before.keys() <= after.keys()
    # A new unit may be cached by an earlier run of this test; a changed unit is not.
    assert counted.sources() <= changed | {_MANIFEST}, "other sources are compiled"
    assert changed & before.keys() <= counted.sources()
    assert changed & before.keys(), "both need different ops of some units"
    assert any("depthwise" in name for name in changed), "only MobileNet needs it"
    assert not any("matmul_op" in name for name in changed), "both need the same kernels of it"
    assert {spawn.target for spawn in counted.compiles} == {TARGET}, "the core is compiled"
