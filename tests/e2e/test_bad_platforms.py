"""What tf_mobile_library and tf_multi_platform_library answer to names that there are none of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import inception, nested
from demo.nested import Workspace

LOAD = 'load("@tfcarve//rules:defs.bzl", "tf_mobile_library", "tf_multi_platform_library")\n'
LIBRARY = 'tf_mobile_library(name = "library", models = ["model.pb"], {})\n'
RELEASE = 'tf_multi_platform_library(name = "release", library = ":library", platforms = ["{}"])\n'


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    source = tmp_path_factory.mktemp("bad")
    module = nested.source_tree() / inception.APP / "MODULE.bazel"
    (source / "MODULE.bazel").write_text(module.read_text(encoding="utf-8"), encoding="utf-8")
    with nested.opened(source, "bad_platforms") as workspace:
        yield workspace
        workspace.bazel(["shutdown"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            RELEASE.format("linux_arm65"),
            "no platform linux_arm65; there are: android_arm64, android_armv7, ",
        ),
        (LIBRARY.format('cpu = "cortex-a8"'), 'no cpu "cortex-a8"; there are: '),
        (LIBRARY.format('optimization = "-O2"'), 'no optimization "-O2"; there are: Os, O2, O3'),
    ],
)
def test_names_that_there_are_none_of(app: Workspace, text: str, message: str) -> None:
    Path(app.folder, "BUILD").write_text(LOAD + text, encoding="utf-8")
    done = app.bazel(["query", "--noshow_progress", "//:all"])
    assert done.returncode != 0
    assert message in done.stdout


def test_right_names(app: Workspace) -> None:
    right = LIBRARY.format('cpu = "cortex-a72", optimization = "O2"') + RELEASE.format(
        "linux_armv7"
    )
    Path(app.folder, "BUILD").write_text(LOAD + right, encoding="utf-8")
    done = app.bazel(["query", "--noshow_progress", "//:release"])
    assert done.returncode == 0, done.stdout
