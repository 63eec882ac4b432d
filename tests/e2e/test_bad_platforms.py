"""The error messages for unknown platforms and options, and for an invalid NDK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import inception, nested
from demo.nested import Workspace

LOAD = 'load("@tfcarve//rules:defs.bzl", "tf_mobile_library", "tf_multi_platform_library")\n'
LIBRARY = 'tf_mobile_library(name = "library", models = ["model.pb"], {})\n'
# For an app that uses the repository of toolchains.
CROSS = 'use_repo(tfcarve, "tfcarve_cross")\n'
RELEASE = 'tf_multi_platform_library(name = "release", library = ":library", platforms = ["{}"])\n'


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    source = tmp_path_factory.mktemp("bad")
    module = nested.source_tree() / inception.APP / "MODULE.bazel"
    (source / "MODULE.bazel").write_text(module.read_text() + CROSS, encoding="utf-8")
    with nested.opened(source, "bad_platforms") as workspace:
        yield workspace
        workspace.bazel(["shutdown"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            RELEASE.format("linux_arm65"),
            "unknown platform linux_arm65; known platforms: android_arm64, android_armv7, ",
        ),
        (LIBRARY.format('cpu = "cortex-a8"'), 'unknown cpu "cortex-a8"; known values: '),
        (
            LIBRARY.format('optimization = "-O2"'),
            'unknown optimization "-O2"; known values: Oz, Os, O2, O3',
        ),
        (LIBRARY.format('protos = "heavy"'), 'unknown protos "heavy"; known values: full, lite'),
    ],
)
def test_unknown_names(app: Workspace, text: str, message: str) -> None:
    Path(app.folder, "BUILD").write_text(LOAD + text, encoding="utf-8")
    done = app.bazel(["query", "--noshow_progress", "//:all"])
    assert done.returncode != 0
    assert message in done.stdout


@pytest.mark.parametrize(
    ("home", "message"),
    [
        ("", "ANDROID_NDK_HOME is not set"),
        ("gone", "gone, which does not exist"),
        ("folder", "folder, which is not an NDK: it has no toolchains/llvm/prebuilt"),
        ("ndk", "ndk, an NDK, but no toolchain of it is registered for this machine"),
    ],
)
def test_invalid_ndk(app: Workspace, tmp_path: Path, home: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "ndk/toolchains/llvm/prebuilt").mkdir(parents=True)
    where = str(tmp_path / home) if home else ""
    command = ["query", "--noshow_progress", "--output=build", "@tfcarve_cross//:missing"]
    done = app.bazel(command, environment={"ANDROID_NDK_HOME": where})
    assert done.returncode == 0, done.stdout
    # The message of each ABI, and of no other platform.
    found = [line for line in done.stdout.split('", "') if f"{message}" in line]
    assert len(found) == 4, done.stdout
    assert all("rules_android_ndk, with ANDROID_NDK_HOME or `path`" in line for line in found)


def test_valid_names(app: Workspace) -> None:
    valid = LIBRARY.format(
        'cpu = "cortex-a72", optimization = "O2", protos = "full"'
    ) + RELEASE.format("linux_armv7")
    Path(app.folder, "BUILD").write_text(LOAD + valid, encoding="utf-8")
    done = app.bazel(["query", "--noshow_progress", "//:release"])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        (("9.9",), "tfcarve does not build TensorFlow 9.9; known releases: 2.14"),
        (("2.14", "9.9"), "only one TensorFlow release per build; found: 2.14, 9.9"),
        # The same release twice is one release.
        (("2.14", "2.14"), ""),
    ],
)
def test_tensorflow_releases(app: Workspace, versions: tuple[str, ...], message: str) -> None:
    module = app.folder / "MODULE.bazel"
    text = module.read_text(encoding="utf-8")
    tag = 'tfcarve.tensorflow(version = "2.14")\n'
    assert text.count(tag) == 1
    chosen = "".join(tag.replace("2.14", version) for version in versions)
    module.write_text(text.replace(tag, chosen), encoding="utf-8")
    try:
        done = app.bazel(["query", "--noshow_progress", "@tfcarve_cross//:missing"])
    finally:
        module.write_text(text, encoding="utf-8")
    assert (done.returncode != 0) == bool(message), done.stdout
    assert message in done.stdout
