"""Tests of the program that writes core.bzl into the source tree."""

import dataclasses
from pathlib import Path

import pytest
import trees
from small_release import FILES, small_release

from tfcarve.build_files import update_core
from tfcarve.releases import known
from tfcarve.runtime_sources import optional_sources
from tfcarve.runtime_sources.optional_sources import OptionalSources

_VERSION_H = "tensorflow/core/public/version.h"
_TREE = {
    **trees.FILES,
    **FILES,
    "tensorflow/core/BUILD": 'filegroup(name = "mobile_srcs", srcs = ["framework/op.cc"])',
    "tensorflow/core/framework/op.cc": "",
}


def _update(root: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Path]:
    """Returns the exit status and the place of core.bzl, for a release of `version`."""
    release = dataclasses.replace(small_release(), version=version)
    monkeypatch.setattr(known, "release", lambda _: release)
    monkeypatch.setattr(optional_sources, "read", lambda _: OptionalSources(()))
    place = root / "workspace"
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(place))
    tree = trees.write(root / "tree", _TREE)
    status = update_core.main(["2.14", str(tree / _VERSION_H)])
    return status, place / "third_party/tensorflow/releases/2.14/core.bzl"


def test_core_bzl_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = _update(tmp_path, "9.8.7-rc1", monkeypatch)
    assert status == 0
    assert 'version = "9.8.7-rc1"' in output.read_text()


def test_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output = _update(tmp_path, "9.8.6", monkeypatch)
    assert status == 2
    assert "tree: TensorFlow 9.8.7-rc1, but " in (message := capsys.readouterr().err)
    assert "release.toml is for 9.8.6: use that tree" in message
    assert not output.exists()
