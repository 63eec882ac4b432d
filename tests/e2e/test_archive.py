"""Tests of tf_library_archive: an archive as people get it, who have nothing else of tfcarve."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from built import published
from e2e.builds import built_libraries
from e2e.builds.built_libraries import checked

_STEM = "tensorflow-core-1.2"


@pytest.fixture(name="folder", params=built_libraries.PLATFORMS)
def _folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder that an archive unpacks to."""
    platform: str = request.param
    files = {
        file.name: file
        for file in published.of("app").files("//archive:archive")
        if file.parent.name == platform
    }
    stem = f"{_STEM}-{platform}"
    assert files.keys() == {"SHA256SUMS", f"{stem}.spdx.json", f"{stem}.tar.gz"}
    checked(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=files["SHA256SUMS"].parent)
    checked(["tar", "-xzf", str(files[f"{stem}.tar.gz"]), "-C", str(tmp_path)])
    unpacked = tmp_path / stem
    sbom = (unpacked / "sbom.spdx.json").read_bytes()
    assert sbom == files[f"{stem}.spdx.json"].read_bytes()
    return unpacked


def test_app(folder: Path, tmp_path: Path) -> None:
    release = built_libraries.of_app(folder.name.removeprefix(f"{_STEM}-"))
    unpacked = replace(release, library=folder)
    flags = checked(
        ["pkg-config", "--cflags", "--libs", "tensorflow-core"],
        env={"PKG_CONFIG_PATH": str(folder)},
    )
    program = unpacked.program("app_test.cc", tmp_path / "app", *shlex.split(flags))
    assert unpacked.run_model(program) == ""
    assert not (folder / "include_cpp").exists()


def test_sbom(folder: Path) -> None:
    document = json.loads((folder / "sbom.spdx.json").read_bytes())
    packages = {
        package["SPDXID"].removeprefix("SPDXRef-"): package for package in document["packages"]
    }
    library = (folder / "libtensorflow-core.so").read_bytes()
    found = packages["library"]["checksums"][0]["checksumValue"]
    assert found == hashlib.sha256(library).hexdigest()
    assert packages["tensorflow"]["versionInfo"] == "2.14.1"
    for name in ("abseil", "protobuf", "tensorflow"):
        assert len(packages[name]["checksums"][0]["checksumValue"]) == 64, name
        assert (folder / "licenses" / name / "LICENSE").read_bytes()
    assert packages.keys().isdisjoint({"giflib", "libpng", "re2"})
    assert (folder / "licenses/tfcarve/LICENSE").is_file()
    licenses = {path.name for path in (folder / "licenses").iterdir()}
    assert licenses <= {name.replace("-", "_") for name in packages}
