"""An app with a WORKSPACE file and no MODULE.bazel, which Bazel 7 supports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from demo import nested
from tfcarve.app.workspace import Build, Workspace

_APP = "tests/e2e/workspace"
_WITHOUT_MODULES = ("--noenable_bzlmod", "--enable_workspace")


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / _APP, "workspace") as workspace:
        yield workspace
        workspace.bazel(["shutdown"])


@pytest.fixture(name="flags", scope="module")
def _flags(app: Workspace) -> list[str]:
    """If Bazel comes with modules, they serve as repositories, too: nothing is downloaded."""
    output = app.bazel(["info", "--announce_rc", "release"]).stdout
    overrides = re.findall(r"--override_module=(\S+)", output)
    return [*_WITHOUT_MODULES, *(f"--override_repository={one}" for one in overrides)]


def _selection(build: Build) -> dict[str, object]:
    found = json.loads(build.named("//:tensorflow_selection")["selection.json"].read_bytes())
    assert isinstance(found, dict)
    return found


def test_all_targets_are_analyzed(app: Workspace, flags: list[str]) -> None:
    app.build(["//:all"], [*flags, "--nobuild"])


def test_a_fetched_source_compiles_and_the_tools_run(app: Workspace, flags: list[str]) -> None:
    build = app.build(["//:tensorflow_selection", "@tfcarve_farmhash//:farmhash"], flags)
    assert _selection(build)["ops"], "the selection is empty"
    # With modules, the repository's name would be longer.
    assert build.files("@@tfcarve_farmhash//:farmhash")


def test_models_are_prepared(app: Workspace, flags: list[str]) -> None:
    (model,) = app.build(["//:prepared"], flags).files("//:prepared")
    assert b"Identity" not in model.read_bytes()


def test_without_tfcarves_repositories(app: Workspace, flags: list[str]) -> None:
    file = app.folder / "WORKSPACE"
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace("\ntfcarve_repositories()\n", "\n"), encoding="utf-8")
    try:
        done = app.bazel(["query", *flags, "//:all"])
    finally:
        file.write_text(whole, encoding="utf-8")
    assert done.returncode != 0
    # Bazel reports the first one that it needs.
    assert re.search(r"The repository '@@tfcarve_\w+' could not be resolved", done.stdout)
    assert app.bazel(["query", *flags, "//:all"]).returncode == 0
