"""bazelw on a disk that is nearly full, and in a cache folder that is read-only: real file systems in a mount namespace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bazel_program import BAZELW, VERSION, write_program

# Mounts file systems that no other process sees.
_NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-ec")


def _run(place: Path, mount: str) -> subprocess.CompletedProcess[str]:
    """Runs bazelw after a command that mounts something on $1, its cache."""
    cache = place / "cache"
    cache.mkdir()
    write_program(place / "bin/bazel", VERSION)
    environment = {
        "HOME": str(place),
        "PATH": f"{place}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "TFCARVE_NO_INSTALL": "1",
        "XDG_CACHE_HOME": str(cache),
    }
    words = [*_NAMESPACE, f'{mount}; exec "$2" info', "sh", cache, BAZELW]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def test_writable_cache(tmp_path: Path) -> None:
    """The control of the next two."""
    done = _run(tmp_path, 'mount -t tmpfs -o size=2g tmpfs "$1"')
    assert (done.returncode, "cannot write" in done.stderr) == (0, False), done.stderr


def test_read_only_cache(tmp_path: Path) -> None:
    done = _run(tmp_path, 'mount -t tmpfs -o size=2g,ro tmpfs "$1"')
    assert (done.returncode, done.stdout) == (2, "")
    assert f"bazelw: cannot write to {tmp_path}/cache/tfcarve: set XDG_CACHE_HOME" in done.stderr


def test_cache_below_a_file(tmp_path: Path) -> None:
    done = _run(tmp_path, 'rmdir "$1"; touch "$1"')
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot write to" in done.stderr


@pytest.mark.parametrize(("size", "free"), [("400m", 419), ("2g", None)])
def test_nearly_full_disk(size: str, free: int | None, tmp_path: Path) -> None:
    done = _run(tmp_path, f'mount -t tmpfs -o size={size} tmpfs "$1"')
    assert done.returncode == 0, done.stderr
    assert "info" in done.stdout
    said = f"bazelw: only {free} MB are free on the disk of {tmp_path}/cache/tfcarve. To free more"
    assert (said in done.stderr) == (free is not None)
    commands = [
        line.split("     ")[0].strip() for line in done.stderr.splitlines() if "     " in line
    ]
    expected = [f"rm -r {tmp_path}/cache/tfcarve/bazel-disk", f"{BAZELW.resolve()} clean --expunge"]
    assert commands == (expected if free else [])
