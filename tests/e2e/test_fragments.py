"""The app built by other build systems with the generated link fragments."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from e2e.builds import built_libraries, named_files
from e2e.builds.built_libraries import Release, checked


@pytest.fixture(scope="module", params=built_libraries.PLATFORMS)
def release(request: pytest.FixtureRequest) -> Release:
    return built_libraries.of_app(request.param)


@pytest.fixture(scope="module")
def expected(release: Release, tmp_path_factory: pytest.TempPathFactory) -> int:
    """The number of kernels of the shared library, which needs no flag."""
    program = tmp_path_factory.mktemp("expected") / "count"
    rpath = f"-Wl,-rpath,{release.library}"
    release.program("control/count_kernels.cc", program, "-ltensorflow-core", rpath)
    count = release.kernels(program)
    assert count > 0
    return count


def _example(name: str) -> Path:
    return built_libraries.APP.parent / name


def test_named_files_exist(release: Release, tmp_path: Path) -> None:
    """The control: a copy of a fragment in a folder without its files."""
    assert named_files.missing(release.library) == []
    fragment = "tensorflow-core-shared.pc"
    (tmp_path / fragment).write_bytes((release.library / fragment).read_bytes())
    expected = [f"{fragment}: {name}" for name in ("include", "libtensorflow-core.so")]
    assert named_files.missing(tmp_path) == expected


def test_cmake(release: Release, expected: int, tmp_path: Path) -> None:
    configure = ["cmake", "-S", str(_example("cmake")), "-B", str(tmp_path)]
    values = {
        "APP": release.app,
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_COMPILER": release.compiler,
        "TensorFlowCore_DIR": release.library,
    }
    checked([*configure, *(f"-D{name}={value}" for name, value in values.items())])
    checked(["cmake", "--build", str(tmp_path)])
    assert release.run_model(tmp_path / "app_static") == ""
    assert release.run_model(tmp_path / "app_shared") == ""
    assert release.kernels(tmp_path / "count_kernels") == expected


def test_make(release: Release, expected: int, tmp_path: Path) -> None:
    values = {"APP": release.app, "CXX": release.compiler, "TENSORFLOW": release.library}
    makefile = str(_example("make") / "Makefile")
    checked(["make", "-f", makefile, *(f"{n}={v}" for n, v in values.items())], cwd=tmp_path)
    assert release.run_model(tmp_path / "app_static") == ""
    assert release.run_model(tmp_path / "app_shared") == ""
    assert release.kernels(tmp_path / "count_kernels") == expected


def _pkg_config(release: Release, package: str) -> list[str]:
    command = ["pkg-config", "--cflags", "--libs", package]
    return shlex.split(checked(command, env={"PKG_CONFIG_PATH": os.fspath(release.library)}))


def test_pkg_config(release: Release, expected: int, tmp_path: Path) -> None:
    static = _pkg_config(release, "tensorflow-core")
    assert release.run_model(release.program("app_test.cc", tmp_path / "app", *static)) == ""
    count = release.program("control/count_kernels.cc", tmp_path / "count", *static)
    assert release.kernels(count) == expected
    rpath = f"-Wl,-rpath,{release.library}"
    shared = [*_pkg_config(release, "tensorflow-core-shared"), rpath]
    assert release.run_model(release.program("app_test.cc", tmp_path / "shared", *shared)) == ""


def test_plain_flags(release: Release, expected: int, tmp_path: Path) -> None:
    count = release.program("control/count_kernels.cc", tmp_path / "count", *release.flags())
    assert release.kernels(count) == expected


def test_without_a_fragment_nothing_is_registered(release: Release, tmp_path: Path) -> None:
    flags = ["-l:libtensorflow-core.a", "-pthread", "-ldl"]
    count = release.program("control/count_kernels.cc", tmp_path / "count", *flags)
    assert release.kernels(count) == 0
