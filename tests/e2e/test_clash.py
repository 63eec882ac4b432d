"""An app with a protobuf, an Abseil and a whole TensorFlow of its own, all in other versions than ours."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo import nested
from e2e import releases
from e2e.releases import Release, checked
from tfcarve.cli import main

SOURCE = "tests/e2e/clash/beside_tensorflow.cc"


@dataclass(frozen=True)
class App:
    """The app's object, and how it is linked with its own libraries."""

    release: Release
    object: Path
    own_flags: tuple[str, ...]
    own_protobuf: int

    def link(
        self, output: Path, folder: Path, flags: list[str]
    ) -> subprocess.CompletedProcess[str]:
        """Links the app with a carved library."""
        command = [self.release.compiler, str(self.object), f"-L{folder}", *flags, *self.own_flags]
        return subprocess.run(
            [*command, "-o", str(output)], check=False, text=True, capture_output=True
        )

    def answer(self, program: Path) -> list[str]:
        """What the app prints, word by word."""
        return self.release.run_model(program).split()

    def right_answer(self) -> list[str]:
        """Own protobuf with reflection; own TensorFlow with Conv3D, the carved one without; its output."""
        return [str(self.own_protobuf), "1", "1", "0", "60"]


def _version(header: Path) -> int:
    found = re.search(r"#define GOOGLE_PROTOBUF_VERSION (\d+)", header.read_text(encoding="utf-8"))
    assert found is not None, header
    return int(found.group(1))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    found = importlib.util.find_spec("tensorflow")
    assert found is not None and found.origin is not None
    tensorflow = Path(found.origin).parent
    version = "google/protobuf/stubs/common.h"
    with releases.opened("linux_x86_64") as release:
        ours = _version(release.library / "include_cpp" / version)
        theirs = _version(tensorflow / "include" / version)
        assert ours != theirs, "it is another protobuf"
        made = tmp_path_factory.mktemp("app") / "app.o"
        includes = [f"-I{release.library / 'include'}", f"-I{tensorflow / 'include'}"]
        source = str(nested.source_tree() / SOURCE)
        checked([release.compiler, "-std=c++17", "-w", *includes, "-c", source, "-o", str(made)])
        libraries = ["-l:libtensorflow_framework.so.2", "-l:libtensorflow_cc.so.2"]
        flags = [f"-L{tensorflow}", "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{tensorflow}"]
        yield App(release, made, tuple(flags), theirs)


def test_shared_library(app: App, tmp_path: Path) -> None:
    folder = app.release.library
    done = app.link(tmp_path / "app", folder, ["-ltensorflow-core", f"-Wl,-rpath,{folder}"])
    assert done.returncode == 0, done.stderr
    assert app.answer(tmp_path / "app") == app.right_answer()


def test_static_library_with_private_symbols(app: App, tmp_path: Path) -> None:
    arguments = ["private-symbols"]
    for name in ("libtensorflow-core.a", "libtensorflow-registrations.a"):
        arguments += ["--archive", os.fspath(app.release.library / name), str(tmp_path / name)]
    assert main(arguments) == 0
    done = app.link(tmp_path / "app", tmp_path, app.release.flags())
    assert done.returncode == 0, done.stderr
    assert app.answer(tmp_path / "app") == app.right_answer()


def test_static_library_as_it_is_breaks_the_app(app: App, tmp_path: Path) -> None:
    """Refused by the linker, stopped as it starts, or worst: the app's own TensorFlow is gone."""
    done = app.link(tmp_path / "app", app.release.library, app.release.flags())
    if done.returncode == 0:
        ran = subprocess.run(
            [tmp_path / "app", app.release.app / "tiny.pb"], text=True, capture_output=True
        )
        assert ran.returncode != 0 or ran.stdout.split() != app.right_answer()
