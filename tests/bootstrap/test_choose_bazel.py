"""bazelw runs a Bazel of the right version, or explains why there is none."""

import shutil
import subprocess
from pathlib import Path

import pytest
from bazel_program import BAZELW, VERSION, write_program

from bootstrap import choose_bazel
from bootstrap.choose_bazel import Choice
from bootstrap.console import BootstrapError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a PATH with `bin` before the system's folders."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("TFCARVE_NO_INSTALL", "1")
    return tmp_path


def run_bazelw(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([BAZELW, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("name", ["bazel", "bazelisk"])
def test_right_version_on_path_is_used(place: Path, name: str) -> None:
    write_program(place / "bin" / name, VERSION)
    done = run_bazelw("build", "//x y")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{place}/bin/{name} --bazelrc=")
    assert "build //x y" in done.stdout
    assert f"version={VERSION}" in done.stdout
    assert "tmp=\n" in done.stdout


def test_second_run_prints_nothing(place: Path) -> None:
    write_program(place / "bin/bazel", VERSION)
    run_bazelw("info")
    done = run_bazelw("info")
    assert (done.returncode, done.stderr) == (0, "")


def _rc(place: Path) -> str:
    (rc,) = (place / "cache/tfcarve/bazelw").glob("*.bazelrc")
    return rc.read_text()


def test_disk_cache_has_a_limit(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(place / "bin/bazel", VERSION)
    option = "--experimental_disk_cache_gc_max_size="
    run_bazelw("info")
    assert f"{option}4G\n" in _rc(place)
    monkeypatch.setenv("TFCARVE_DISK_CACHE_SIZE", "500M")
    run_bazelw("info")
    assert f"{option}500M\n" in _rc(place)


@pytest.mark.parametrize("size", ["0", "4 GB", "-1", "much"])
def test_invalid_size_of_the_disk_cache(
    size: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(place / "bin/bazel", VERSION)
    monkeypatch.setenv("TFCARVE_DISK_CACHE_SIZE", size)
    done = run_bazelw("info")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"TFCARVE_DISK_CACHE_SIZE is {size!r}: pass a number of bytes" in done.stderr


def test_settings_are_those_of_the_checkout(place: Path) -> None:
    """The cache has the choice of another checkout, which has other settings."""
    write_program(place / "bin/bazel", VERSION)
    run_bazelw("info")
    root, checkout = BAZELW.resolve().parent, place / "checkout"
    modules = checkout / "tools/bootstrap"
    shutil.copytree(root / "tools/bootstrap", modules)
    for name in ("bazelw", ".bazelversion"):
        shutil.copy(root / name, checkout)
    choose = modules / "choose_bazel.py"
    choose.write_text(choose.read_text().replace("-Xmx2g", "-Xmx3g"))
    done = subprocess.run([checkout / "bazelw"], check=True, capture_output=True, text=True)
    (_, _, rc) = done.stdout.split()[1].partition("=")
    assert "-Xmx3g" in Path(rc).read_text()


def test_home_is_set_if_it_is_missing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(place / "bin/bazel", VERSION)
    monkeypatch.delenv("HOME", raising=False)
    assert "home=/" in run_bazelw("info").stdout


def test_choice_depends_on_path(place: Path) -> None:
    write_program(place / "bin/bazelisk", VERSION)
    assert f"{place}/bin/bazelisk " in run_bazelw("info").stdout
    write_program(place / "bin/bazel", VERSION)
    assert f"{place}/bin/bazel " in run_bazelw("info").stdout


def test_other_version_is_skipped(place: Path) -> None:
    write_program(place / "bin/bazel", "1.2.3")
    with pytest.raises(BootstrapError, match=r"bin/bazel is 1\.2\.3"):
        choose_bazel.on_path(VERSION, BAZELW)
    write_program(place / "bin/bazelisk", VERSION)
    assert choose_bazel.on_path(VERSION, BAZELW).bazel == place / "bin/bazelisk"


def test_bazelw_called_bazel_is_skipped(place: Path) -> None:
    (place / "bin").mkdir()
    (place / "bin/bazel").symlink_to(BAZELW.resolve())
    with pytest.raises(BootstrapError, match="is bazelw itself"):
        choose_bazel.on_path(VERSION, BAZELW)


def test_bazel_that_calls_bazelw_does_not_recurse(place: Path) -> None:
    (place / "bin").mkdir()
    (place / "bin/bazel").write_text(f'#!/bin/sh\nexec {BAZELW} "$@"\n')
    (place / "bin/bazel").chmod(0o755)
    with pytest.raises(BootstrapError, match="of unknown version"):
        choose_bazel.on_path(VERSION, BAZELW)


def _fail(text: str) -> Choice:
    raise BootstrapError(text)


def test_sources_are_tried_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    npm, debian = Choice(Path("/npm")), Choice(Path("/debian"))
    monkeypatch.setattr(choose_bazel, "on_path", lambda *_: _fail("no bazel"))
    monkeypatch.setattr(choose_bazel, "from_npm", lambda *_: npm)
    monkeypatch.setattr(choose_bazel, "from_debian", lambda *_: debian)
    assert choose_bazel.choose(VERSION, BAZELW) is npm
    monkeypatch.setattr(choose_bazel, "from_npm", lambda *_: _fail("no npm"))
    assert choose_bazel.choose(VERSION, BAZELW) is debian
    monkeypatch.setattr(choose_bazel, "from_debian", lambda *_: _fail("no dpkg"))
    with pytest.raises(BootstrapError) as error:
        choose_bazel.choose(VERSION, BAZELW)
    message = str(error.value)
    assert "on PATH: no bazel" in message
    assert "bazelisk from npm: no npm" in message
    assert "Debian's bazel-bootstrap: no dpkg" in message


def test_npm_is_not_used_if_releases_are_unreachable(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(place / "bin/npm", "")
    monkeypatch.setenv("BAZELISK_BASE_URL", "http://127.0.0.1:9")
    with pytest.raises(BootstrapError, match=r"127\.0\.0\.1:9 is unreachable"):
        choose_bazel.from_npm(VERSION)
    assert not (place / "cache").exists()
