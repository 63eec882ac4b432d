"""An app that links other versions of protobuf, Abseil and TensorFlow in addition to the carved library."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.builds import built_libraries
from e2e.builds.built_libraries import Release, checked
from tfcarve.cli import main

_SOURCE = built_libraries.APP.parent / "clash/with_tensorflow.cc"


@dataclass(frozen=True)
class App:
    """The app's object file and the flags for its own libraries."""

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

    def output(self, program: Path) -> list[str]:
        """The words of the app's output."""
        return self.release.run_model(program).split()

    def expected(self) -> list[str]:
        """Protobuf's version; it has reflection; TensorFlow has Conv3D, the carved library does not; its output."""
        return [str(self.own_protobuf), "1", "1", "0", "60"]


def _version(header: Path) -> int:
    found = re.search(r"#define GOOGLE_PROTOBUF_VERSION (\d+)", header.read_text(encoding="utf-8"))
    assert found is not None, header
    return int(found.group(1))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    found = importlib.util.find_spec("tensorflow")
    assert found is not None and found.origin is not None
    tensorflow = Path(found.origin).parent
    version = "google/protobuf/stubs/common.h"
    release = built_libraries.of_app("linux_x86_64")
    carved = _version(release.library / "include_cpp" / version)
    own = _version(tensorflow / "include" / version)
    assert carved != own, "both have the same protobuf"
    object_file = tmp_path_factory.mktemp("app") / "app.o"
    includes = [f"-I{release.library / 'include'}", f"-I{tensorflow / 'include'}"]
    source = str(_SOURCE)
    checked([release.compiler, "-std=c++17", "-w", *includes, "-c", source, "-o", str(object_file)])
    libraries = ["-l:libtensorflow_framework.so.2", "-l:libtensorflow_cc.so.2"]
    flags = [f"-L{tensorflow}", "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{tensorflow}"]
    return App(release, object_file, tuple(flags), own)


def test_shared_library(app: App, tmp_path: Path) -> None:
    folder = app.release.library
    done = app.link(tmp_path / "app", folder, ["-ltensorflow-core", f"-Wl,-rpath,{folder}"])
    assert done.returncode == 0, done.stderr
    assert app.output(tmp_path / "app") == app.expected()


def test_static_library_with_private_symbols(app: App, tmp_path: Path) -> None:
    arguments = ["private-symbols"]
    for name in ("libtensorflow-core.a", "libtensorflow-registrations.a"):
        arguments += ["--archive", os.fspath(app.release.library / name), str(tmp_path / name)]
    assert main(arguments) == 0
    done = app.link(tmp_path / "app", tmp_path, app.release.flags())
    assert done.returncode == 0, done.stderr
    assert app.output(tmp_path / "app") == app.expected()


def test_static_library_with_public_symbols_breaks_the_app(app: App, tmp_path: Path) -> None:
    """The link fails, the program stops at startup, or the app's own TensorFlow is replaced."""
    done = app.link(tmp_path / "app", app.release.library, app.release.flags())
    if done.returncode == 0:
        ran = subprocess.run(
            [tmp_path / "app", app.release.app / "tiny.pb"], text=True, capture_output=True
        )
        assert ran.returncode != 0 or ran.stdout.split() != app.expected()
