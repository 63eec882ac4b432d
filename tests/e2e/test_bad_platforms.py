"""The error messages for unknown platforms and options, and for an invalid NDK."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import inception, nested
from tfcarve.app.workspace import Workspace

LOAD = 'load("@tfcarve//rules:defs.bzl", "tf_mobile_library", "tf_multi_platform_library")\n'
LIBRARY = 'tf_mobile_library(name = "library", models = ["model.pb"], {})\n'
# For an app that uses the repositories of toolchains and of TensorFlow.
REPOSITORIES = 'use_repo(tfcarve, "tfcarve_cross", "tfcarve_tensorflow")\n'
RELEASE = 'tf_multi_platform_library(name = "release", library = ":library", platforms = ["{}"])\n'


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    source = tmp_path_factory.mktemp("bad")
    module = nested.source_tree() / inception.APP / "MODULE.bazel"
    (source / "MODULE.bazel").write_text(module.read_text() + REPOSITORIES, encoding="utf-8")
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
    chosen = "".join(_TAG.replace("2.14", version) for version in versions)
    status, output = _queried(app, chosen, "@tfcarve_cross//:missing")
    assert (status != 0) == bool(message), output
    assert message in output


_TAG = 'tfcarve.tensorflow(version = "2.14")\n'


def _queried(app: Workspace, chosen: str, target: str) -> tuple[int, str]:
    """Returns the exit status and the output of a query if the app chooses TensorFlow with the text `chosen`."""
    module = app.folder / "MODULE.bazel"
    text = module.read_text(encoding="utf-8")
    assert text.count(_TAG) == 1
    module.write_text(text.replace(_TAG, chosen), encoding="utf-8")
    try:
        done = app.bazel(["query", "--noshow_progress", "--ui_event_filters=-info", target])
    finally:
        module.write_text(text, encoding="utf-8")
    return done.returncode, done.stdout


# An alias, and the target in the repository of the release.
_SOURCES = "deps(@tfcarve_tensorflow//:sources, 1)"


def _tensorflow(app: Workspace) -> Path:
    """The folder with the sources of the pinned archive."""
    status, output = _queried(app, _TAG, _SOURCES)
    assert status == 0, output
    repository = app.execution_root().parents[1] / "external"
    (header,) = repository.glob("*tensorflow_2_14/tensorflow/core/public/version.h")
    return header.resolve().parents[3]


def _own(archive: Path | str, sha256: str = "") -> str:
    return _TAG.replace(")", f', archive = "{archive}", sha256 = "{sha256}")')


def test_a_folder_with_tensorflow(app: Workspace) -> None:
    folder = _tensorflow(app)
    status, output = _queried(app, _own(folder), _SOURCES)
    assert status == 0, output


# As in docs/how-to/tensorflow-sources.md.
_FORK = """
tfcarve.tensorflow(
    version = "2.14",
    archive = "https://mirror.example.com/fork.zip",
    sha256 = "SHA256",
)
"""


def test_an_archive_that_is_downloaded(app: Workspace, tmp_path: Path) -> None:
    """It has only TensorFlow's version, so the files that tfcarve replaces are not TensorFlow's."""
    archive = tmp_path / "fork.zip"
    header = "tensorflow/core/public/version.h"
    with zipfile.ZipFile(archive, "w") as content:
        content.write(_tensorflow(app) / header, f"fork-main/{header}")
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    fork = _FORK.replace("https://mirror.example.com/fork.zip", archive.as_uri())
    status, output = _queried(app, fork.replace("SHA256", sha256), _SOURCES)
    assert status != 0
    assert (
        "so your changes would have no effect: tensorflow/c/kernels/bitcast_op.cc, tensorflow/core/"
        in output
    )
    status, output = _queried(app, fork.replace("SHA256", "a" * 64), _SOURCES)
    assert status != 0
    assert f"could not download {archive.as_uri()} with the SHA-256 aaaa" in output


@pytest.mark.parametrize(
    ("archive", "sha256", "message"),
    [
        ("missing.zip", "", "missing.zip: there is no such file or folder"),
        (".", "", "does not have TensorFlow's sources"),
        ("", "a" * 64, "sha256 is the checksum of archive, which is missing"),
    ],
)
def test_sources_without_tensorflow(
    app: Workspace, archive: str, sha256: str, message: str
) -> None:
    status, output = _queried(app, _own(archive, sha256), _SOURCES)
    assert status != 0
    assert message in output
