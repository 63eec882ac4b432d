"""Fetching a pinned source: each way, and its errors."""

import hashlib
import io
import json
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bootstrap import fetch_source, npm
from bootstrap.console import BootstrapError
from bootstrap.pins import read_pin
from bootstrap.unpack import target_path, unpack

PACKED = {
    "top-1.0/a.cc": b"int a;\n",
    "top-1.0/sub/BUILD": b"upstream's\n",
    "top-1.0/sub/BUILD.bazel": b"upstream's\n",
    "top-1.0/sub/WORKSPACE": b"",
    "top-1.0/other/b.cc": b"int b;\n",
}


def write_tar(path: Path, content: dict[str, bytes]) -> str:
    """Writes a .tar.gz and returns its SHA-256."""
    with tarfile.open(path, "w:gz") as archive:
        for name, data in content.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, an empty distdir and no programs on PATH."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TFCARVE_DISTDIR", str(tmp_path / "dist"))
    monkeypatch.setenv("PATH", "")
    (tmp_path / "dist").mkdir()
    return tmp_path


def write_pins(place: Path, sha256: str, **more: Any) -> Path:
    """Writes one pin, "thing", with archives of upstream and Debian."""
    archive = {"sha256": sha256, "strip_prefix": "top-1.0"}
    pin = {
        "version": "1.0",
        "upstream": {"urls": ["https://example.invalid/thing-1.0.tar.gz"], **archive},
        "debian": {"suite": "sid", "package": "thing", "file": "thing_1.0.orig.tar.gz", **archive},
        **more,
    }
    sources = place / "sources.json"
    sources.write_text(json.dumps({"thing": pin}))
    return sources


def run(place: Path, sources: Path, *arguments: str) -> int:
    return fetch_source.main(
        ["--pins", str(sources), "--name", "thing", "--tree", str(place / "tree"), *arguments]
    )


@pytest.mark.parametrize("file", ["thing-1.0.tar.gz", "thing_1.0.orig.tar.gz"])
def test_any_archive_in_distdir(place: Path, file: str) -> None:
    sources = write_pins(place, write_tar(place / "dist" / file, PACKED))
    assert run(place, sources, "--from", "local") == 0
    tree = place / "tree"
    assert (tree / "a.cc").read_bytes() == b"int a;\n"
    assert (tree / "sub/BUILD.upstream").exists()
    assert (tree / "sub/BUILD.bazel.upstream").exists()
    assert not (tree / "sub/BUILD").exists()
    assert not (tree / "sub/WORKSPACE").exists()
    assert json.loads((tree / "tfcarve_source.json").read_text())["version"] == "1.0"


def test_trees_share_what_is_unpacked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = write_pins(place, write_tar(place / "dist/thing-1.0.tar.gz", PACKED))
    assert run(place, sources, "--from", "local") == 0
    marker = Path(capsys.readouterr().out.strip())
    (place / "tree").rename(place / "first")
    assert run(place, sources, "--from", "local") == 0
    assert (place / "first/sub").samefile(place / "tree/sub")
    assert marker.exists() and marker.is_relative_to(place / "cache/tfcarve/trees")
    # A run that was killed while it unpacked.
    marker.unlink()
    (marker.parent / "a.cc").write_text("int")
    assert run(place, sources, "--from", "local") == 0
    assert (place / "tree/a.cc").read_bytes() == b"int a;\n"


def test_wrong_checksum_in_distdir(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    actual = write_tar(place / "dist/thing-1.0.tar.gz", PACKED)
    sources = write_pins(place, "0" * 64)
    assert run(place, sources, "--from", "local") == 1
    message = capsys.readouterr().err
    assert "distdir: the checksum of thing-1.0.tar.gz is wrong" in message
    assert "0" * 64 in message and actual in message
    assert not (place / "tree").exists()


def test_wrong_checksum_of_a_download(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tar(place / "thing.tar.gz", PACKED)
    sources = write_pins(place, "0" * 64)
    assert run(place, sources, "--archive", str(place / "thing.tar.gz")) == 2
    assert "checksum of thing.tar.gz is wrong" in capsys.readouterr().err
    assert not (place / "tree").exists()


def test_each_way_reports_its_failure(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = write_pins(place, "0" * 64)
    assert run(place, sources, "--from", "local") == 1
    assert run(place, sources, "--from", "clients") == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"distdir: {place}/dist has no thing-1.0.tar.gz or thing_1.0.orig.tar.gz",
        "cache: not in the user's cache",
        "Debian's source package: apt-get is missing: this works on Debian only",
        "npm package: no npm package contains it",
        "Python package: no Python package contains it",
    ]


def test_from_npm(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = place / "written"
    (written / "vendor").mkdir(parents=True)
    (written / "vendor/a.cc").write_bytes(b"int a;\n")
    (written / "package.json").write_text('{"name": "thing", "version": "1.0.0"}')
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.setenv("HOME", str(place))  # where npm keeps its cache
    packed = npm.pack(str(written), "thing-1.0.0.tgz", place).read_bytes()
    more = {
        "package": str(written),
        "file": "thing-1.0.0.tgz",
        "sha256": hashlib.sha256(packed).hexdigest(),
        "strip_prefix": "package/vendor",
    }
    sources = write_pins(place, "0" * 64, npm=more)
    assert run(place, sources, "--from", "clients") == 0
    assert (place / "tree/a.cc").read_bytes() == b"int a;\n"
    # From the cache, npm is not on PATH.
    monkeypatch.setenv("PATH", "")
    (place / "tree/a.cc").unlink()
    assert run(place, sources, "--from", "local") == 0
    assert (place / "tree/a.cc").exists()
    capsys.readouterr()
    (place / "cache/tfcarve/sources/thing-1.0.0.tgz").unlink()
    assert run(place, sources, "--from", "clients") == 1
    assert "npm package: npm is not on PATH; try: " in capsys.readouterr().err


def test_no_distdir(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TFCARVE_DISTDIR")
    assert run(place, write_pins(place, "0" * 64), "--from", "local") == 1
    assert "distdir: TFCARVE_DISTDIR is not set" in capsys.readouterr().err


def test_damaged_file_in_cache_is_deleted(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cached = place / "cache/tfcarve/sources/thing_1.0.orig.tar.gz"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"a truncated file")
    assert run(place, write_pins(place, "0" * 64), "--from", "local") == 1
    assert "downloading it again" in capsys.readouterr().err
    assert not cached.exists()


def test_wrong_prefix(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sum_ = write_tar(place / "dist/thing-1.0.tar.gz", {"else/a.cc": b""})
    assert run(place, write_pins(place, sum_), "--from", "local") == 2
    assert "has nothing under top-1.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("member", "only", "expected"),
    [
        ("top/a.cc", [], "a.cc"),
        ("./top/a.cc", [], "a.cc"),
        ("top", [], None),
        ("topper/a.cc", [], None),
        ("top/x/a.cc", ["x"], "x/a.cc"),
        ("top/x/a.cc", ["x/a.cc"], "x/a.cc"),
        ("top/xy/a.cc", ["x"], None),
        ("top/MODULE.bazel", [], None),
        ("top/x/BUILD", [], "x/BUILD.upstream"),
    ],
)
def test_target_path(member: str, only: list[str], expected: str | None) -> None:
    assert target_path(member, "top", only, {}) == expected


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ("top/third_party/tsl/a.cc", "tsl/a.cc"),
        ("top/third_party/tsl/x/BUILD", "tsl/x/BUILD.upstream"),
        ("top/third_party/tslx/a.cc", "third_party/tslx/a.cc"),
        ("top/a.cc", "a.cc"),
    ],
)
def test_folders_are_moved(member: str, expected: str) -> None:
    assert target_path(member, "top", [], {"third_party/tsl": "tsl"}) == expected


@pytest.mark.parametrize("member", ["top/../../etc/passwd", "/etc/passwd"])
def test_members_stay_in_the_tree(member: str) -> None:
    with pytest.raises(BootstrapError, match="is outside of its tree"):
        target_path(member, "top", [], {})


def test_unpacks_wheels(tmp_path: Path) -> None:
    wheel = tmp_path / "thing.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("lib/include/Eigen/Core", "x")
        archive.writestr("lib/libhuge.so", "y")
    assert unpack(wheel, tmp_path / "tree", "lib/include", ["Eigen"]) == 1
    assert (tmp_path / "tree/Eigen/Core").read_text() == "x"


def test_unknown_keys_and_names_are_refused(place: Path) -> None:
    sources = write_pins(place, "0" * 64, colour="red")
    with pytest.raises(BootstrapError, match="unknown keys: colour"):
        read_pin(sources, "thing")
    with pytest.raises(BootstrapError, match="has no other; it has: thing"):
        read_pin(sources, "other")
