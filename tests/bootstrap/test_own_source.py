"""TensorFlow's sources from an archive or a folder of the user."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from bootstrap import fetch_source, own_source
from bootstrap.own_source import VERSION_HEADER

_REPLACED = "tsl/platform/env.cc"
_FILES = {
    VERSION_HEADER: "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 16\n#define TF_PATCH_VERSION 1\n",
    "tensorflow/BUILD": "upstream's\n",
    "third_party/tsl/tsl/platform/env.cc": "int replaced;\n",
}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(name="place", autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release that has one pinned archive, and replaces one file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _write(tmp_path / "pinned.zip", "tensorflow-2.16.1/", _FILES)
    pin = {
        "version": "2.16.1",
        "upstream": {
            "urls": ["https://example.invalid/v2.16.1.zip"],
            "sha256": _sha256((tmp_path / "pinned.zip").read_bytes()),
            "strip_prefix": "tensorflow-2.16.1",
        },
        "moved": {"third_party/tsl/tsl": "tsl"},
    }
    (tmp_path / "pins.json").write_text(json.dumps({"tensorflow": pin}))
    replaced = _sha256(_FILES["third_party/tsl/tsl/platform/env.cc"].encode())
    rows = f'[[overrides.core]]\npath = "{_REPLACED}"\nreplaces = "{replaced}"\nwhy = "a reason"\n'
    (tmp_path / "release.toml").write_text(rows)
    return tmp_path


def _write(path: Path, prefix: str, content: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(zipfile.ZipInfo(prefix + name), text)
    return path


def _folder(place: Path, content: dict[str, str]) -> Path:
    for name, text in content.items():
        file = place / "folder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return place / "folder"


def _run(place: Path, source: Path, sha256: str = "") -> int:
    pins, tree = place / "pins.json", place / "tree"
    words = ["--pins", str(pins), "--name", "tensorflow", "--tree", str(tree)]
    return fetch_source.main([*words, "--own", str(source), "--sha256", sha256])


def _require_tree(place: Path) -> None:
    tree = place / "tree"
    assert (tree / _REPLACED).read_text() == "int replaced;\n"
    assert (tree / "tensorflow/BUILD.upstream").is_file()
    assert not (tree / "tensorflow/BUILD").exists()


def test_a_copy_of_the_pinned_archive(place: Path) -> None:
    shutil.copy(place / "pinned.zip", place / "mirrored.zip")
    assert _run(place, place / "mirrored.zip") == 0
    _require_tree(place)


def test_another_archive(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says which line accepts it."""
    fork = _write(place / "fork.zip", "fork-main/", {**_FILES, "tensorflow/new.cc": "int fork;\n"})
    sha256 = _sha256(fork.read_bytes())
    assert _run(place, fork) == 2
    assert f'if you want this archive, add sha256 = "{sha256}"' in capsys.readouterr().err
    assert not (place / "tree").exists()
    assert _run(place, fork, sha256) == 0
    _require_tree(place)
    assert (place / "tree/tensorflow/new.cc").read_text() == "int fork;\n"


def test_a_folder(place: Path) -> None:
    folder = _folder(place, {**_FILES, ".git/config": "", "WORKSPACE": ""})
    (folder / "link").symlink_to("/etc/passwd")
    assert _run(place, folder) == 0
    _require_tree(place)
    assert sorted(path.name for path in (place / "tree").iterdir()) == ["tensorflow", "tsl"]
    # Changes of the folder are seen at once.
    (folder / "third_party/tsl/tsl/platform/env.cc").write_text("int changed;\n")
    assert (place / "tree" / _REPLACED).read_text() == "int changed;\n"


def _version(minor: int) -> dict[str, str]:
    return {**_FILES, VERSION_HEADER: _FILES[VERSION_HEADER].replace("16", str(minor))}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_version(15), "version.h says TensorFlow 2.15.1, not 2.16.1: use the sources of"),
        (
            {**_FILES, "third_party/tsl/tsl/platform/env.cc": "int patched;\n"},
            f"so your changes would have no effect: {_REPLACED}: restore them",
        ),
        (
            {"tensorflow/a.cc": ""},
            f"has no {VERSION_HEADER}: it does not have TensorFlow's sources",
        ),
    ],
)
def test_refused(
    content: dict[str, str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = _write(place / "other.zip", "top/", content)
    sha256 = _sha256(archive.read_bytes())
    for source, checksum in ((archive, sha256), (_folder(place, content), "")):
        assert _run(place, source, checksum) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "sha256", "message"),
    [
        ("missing.zip", "", "there is no such file or folder"),
        ("pinned.zip", "a" * 64, f"not {'a' * 64}, as its sha256 says"),
        (".", "a" * 64, "is a folder, which has no checksum: remove sha256"),
    ],
)
def test_invalid_sources(
    name: str, sha256: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(place, place / name, sha256) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_archive(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "notes.tar.gz"
    file.write_bytes(b"no archive")
    assert _run(place, file, _sha256(file.read_bytes())) == 2
    assert "notes.tar.gz: not a .tar.* or .zip archive" in capsys.readouterr().err


def test_overrides_of_a_release(place: Path) -> None:
    text = (place / "release.toml").read_text()
    assert list(own_source.overridden(text + text.replace(_REPLACED, "b.cc"))) == [
        _REPLACED,
        "b.cc",
    ]
