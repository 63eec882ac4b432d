"""The folder of a release that the tool starts from another release, compared with the folder that people finished."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
import trees

from new_release.__main__ import main
from tfcarve.releases import known
from tfcarve.releases.release import Release

_RELEASE, _BASE = os.environ["TESTED_RELEASE"], os.environ["OTHER_RELEASE"]
_SHA256 = "c" * 64


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("workspace")
    (place / "third_party/tensorflow/releases").mkdir(parents=True)
    return place


def _run(place: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(place))
    return main(["--base", _BASE, *options])


@pytest.fixture(name="release", scope="module")
def _release() -> Release:
    return known.release(_RELEASE)


def _tables(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "release.toml").read_text(encoding="utf-8"))


def test_folder(
    place: Path,
    release: Release,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = str(trees.tensorflow(release.version))
    assert _run(place, monkeypatch, "--tree", tree, "--sha256", _SHA256) == 0
    folder = place / "third_party/tensorflow/releases" / _RELEASE
    found, finished = _tables(folder), _tables(release.folder)
    assert (found["version"], found["is_proved"]) == (release.version, False)
    # The paths are those of the finished release; only a person can decide which new sources are on demand.
    assert found["tree"]["tsl"] == finished["tree"]["tsl"]
    assert found["core"]["platform_sources"] == finished["core"]["platform_sources"]
    paths = {kind: [one["path"] for one in rows] for kind, rows in found["overrides"].items()}
    assert paths == {
        kind: [one["path"] for one in rows] for kind, rows in finished["overrides"].items()
    }
    assert "SOURCES = struct(" in (folder / "core.bzl").read_text(encoding="utf-8")
    assert f'release = "{_RELEASE}"' in (folder / "BUILD").read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    for override in (*release.overrides.kernels, *release.overrides.headers):
        # A changed file is reported with the digest that the finished release has.
        if f": {override.path}\n" in printed:
            assert (
                f'{override.path}\n    after the review: replaces = "{override.replaces}"'
                in printed
            )
    assert "third-party sources, as pinned for the older release" in printed


def test_folder_exists(
    place: Path,
    release: Release,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (place / "third_party/tensorflow/releases" / _RELEASE).mkdir(exist_ok=True)
    assert _run(place, monkeypatch, "--tree", str(trees.tensorflow(release.version))) == 2
    assert "exists: remove it to start again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tree", "."), "not a TensorFlow source tree"),
        (("--tree", ".", "--sha256", "abc"), "64 hexadecimal digits are needed"),
    ],
)
def test_invalid_arguments(
    options: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "third_party/tensorflow/releases").mkdir(parents=True)
    assert _run(tmp_path, monkeypatch, *options) == 2
    assert message in capsys.readouterr().err
    assert list((tmp_path / "third_party/tensorflow/releases").iterdir()) == []
