"""Virtual environments: their interpreter, their folder, and wheels."""

import hashlib
import sys
from pathlib import Path

import pytest

from bootstrap import packages, wheels
from bootstrap.cache import built_in_place
from bootstrap.console import BootstrapError
from bootstrap.venv import candidates, find_python


def write_python(path: Path, version: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\necho {path}\n")
    path.chmod(0o755)


def test_order_of_candidates() -> None:
    assert candidates((3, 9), (3, 12)) == [
        "python3.11",
        "python3",
        "python3.12",
        "python3.10",
        "python3.9",
    ]


def test_first_supported_version_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    write_python(tmp_path / "python3", "3.13")
    write_python(tmp_path / "python3.10", "3.10")
    found = find_python((3, 9), (3, 11), ["python3", "python3.10"])
    assert found == ((3, 10), str(tmp_path / "python3.10"))


def test_no_supported_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    write_python(tmp_path / "python3x", "3.13")
    with pytest.raises(
        BootstrapError, match=r"CPython 3.9 to 3.11 is required on PATH; found: python3x is 3.13"
    ):
        find_python((3, 9), (3, 11), ["python3x", "no-such-python"])


def test_incomplete_folder_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    with pytest.raises(RuntimeError), built_in_place(target) as missing:
        assert missing
        (target / "partial").touch()
        raise RuntimeError
    assert not target.exists()
    target.mkdir()
    (target / "of-a-killed-run").touch()
    with built_in_place(target) as missing:
        assert missing
        assert not list(target.iterdir())
    with built_in_place(target) as missing:
        assert not missing


def test_wheel_with_wrong_checksum_is_not_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fake_pip(python: str, arguments: list[str]) -> None:
        (folder,) = (Path(a.split("=")[1]) for a in arguments if a.startswith("--dest="))
        (folder / "thing-1-py3-none-any.whl").write_bytes(b"other")

    monkeypatch.setattr(wheels, "run_pip", fake_pip)
    good = hashlib.sha256(b"good").hexdigest()
    with pytest.raises(BootstrapError, match=r"checksum of thing-1-py3-none-any\.whl is wrong"):
        wheels.fetch_wheel("thing==1", "thing-1-py3-none-any.whl", good)
    assert not (wheels.wheel_folder() / "thing-1-py3-none-any.whl").exists()


def _fake_python(path: Path, status: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(0o755)


def test_interpreters_of_the_system(tmp_path: Path) -> None:
    folders = [str(tmp_path / name) for name in ("one", "two")]
    paths = [f"{folder}/python3.11" for folder in folders]

    def found() -> list[str]:
        return packages.interpreters((3, 11), "/opt/python", folders)

    assert found() == [*paths, "/opt/python", "python3.11"]
    _fake_python(Path(paths[0]), 0)
    assert found() == [*paths, "python3.11"]
    # Without parts of its standard library.
    _fake_python(Path(paths[0]), 1)
    assert found() == [paths[1], "/opt/python", "python3.11"]


def _environment(folder: Path) -> Path:
    """A virtual environment with a module, and what pip and Python leave in one."""
    site = folder / "lib/python3.11/site-packages"
    files = ["module/__init__.py", "pip/__init__.py", "module-1.dist-info/RECORD"]
    for name in [*files, "module/__pycache__/stale.pyc"]:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("VALUE = 1\n")
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(sys.executable)
    return folder


def test_packages_are_the_same_bytes_everywhere(tmp_path: Path) -> None:
    copies = [tmp_path / "copy", tmp_path / "in/another/folder"]
    for number, copy in enumerate(copies):
        packages.copy(_environment(tmp_path / f"environment{number}"), copy)
    contents = [
        {file.relative_to(copy): file.read_bytes() for file in copy.rglob("*") if file.is_file()}
        for copy in copies
    ]
    assert contents[0] == contents[1]
    names = sorted(map(str, contents[0]))
    cached = f"module/__pycache__/__init__.{sys.implementation.cache_tag}.pyc"
    assert names == ["module/__init__.py", cached]
