"""Two users in two checkouts, who share no cache, build the same bytes: libraries, reports, an AAR and an XCFramework."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flex import flex_models
from remote import fresh_workspace
from tfcarve.app.workspace import Workspace

_LIBRARY = "//:tensorflow"
# An app for Android and iOS.
_APP = "tests/full/app"
_PACKAGES = ("//flex:android", "//flex:ios")
_MODEL = "audio_front_end"


def _library(workspace: Workspace) -> Mapping[str, str]:
    flags = ["--output_groups=default,sizes,selection"]
    return fresh_workspace.build(workspace, [_LIBRARY], flags).digests


def _renamed(workspace: Workspace, folder: Path) -> None:
    """Renames nodes of the model."""
    text = (workspace.folder / "tiny.pb").read_bytes()
    assert b"dense" in text
    model = folder / "tiny.pb"
    model.write_bytes(text.replace(b"dense", b"layer"))
    workspace.place(".", {model.name: model}, model.name)


def test_library(tmp_path: Path) -> None:
    with fresh_workspace.opened() as workspace:
        first = _library(workspace)
    with fresh_workspace.another_user(tmp_path), fresh_workspace.opened() as workspace:
        second = _library(workspace)
        _renamed(workspace, tmp_path)
        changed = _library(workspace)
    assert {Path(path).name for path in first} >= {
        "libtensorflow-core.a",
        "libtensorflow-core.so",
        "sizes.json",
    }
    assert second == first
    # The control.
    assert changed.keys() == first.keys()
    assert changed != first


def _packages(workspace: Workspace, folder: Path) -> Mapping[str, str]:
    model = folder / f"{_MODEL}.tflite"
    if not model.is_file():
        model.write_bytes(flex_models.MAKERS[_MODEL]())
    workspace.place("flex", {model.name: model}, "*.tflite")
    return fresh_workspace.build(workspace, _PACKAGES, []).digests


def test_packages(tmp_path: Path) -> None:
    with fresh_workspace.opened(_APP) as workspace:
        first = _packages(workspace, tmp_path)
    with fresh_workspace.another_user(tmp_path), fresh_workspace.opened(_APP) as workspace:
        assert _packages(workspace, tmp_path) == first
    assert {Path(path).suffix for path in first} >= {".aar", ".a"}
