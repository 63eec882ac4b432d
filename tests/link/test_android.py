"""Tests of Android's link fragments: read by make and CMake like the NDK, linked by clang and lld."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from link.phone import Built, build, checked
from tfcarve.emit.link_facts import LinkFacts, fragment

TRIPLES = (
    "aarch64-linux-android24",
    "armv7a-linux-androideabi24",
    "i686-linux-android24",
    "x86_64-linux-android24",
)
SYSTEM = ("-ldl", "-llog", "-lm")
FACTS = LinkFacts("android_arm64", "android", "24", "libtensorflow-core.so", (), SYSTEM, ())

# Replaces ndk-build: the names have the meaning of its documentation; modules are printed.
MAKEFILE = """\
my-dir = $(FOLDER)
CLEAR_VARS := clear.mk
PREBUILT_STATIC_LIBRARY := print.mk
PREBUILT_SHARED_LIBRARY := print.mk
include $(FOLDER)/Android.mk
all:
"""
CLEAR = "$(foreach v,$(filter LOCAL_%,$(.VARIABLES)),$(if $(filter LOCAL_PATH,$v),,$(eval undefine $v)))\n"
PRINT = (
    "$(info $(LOCAL_MODULE)|$(LOCAL_SRC_FILES)|$(LOCAL_EXPORT_LDFLAGS)|$(LOCAL_EXPORT_LDLIBS))\n"
)

CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(app CXX)
find_package(TensorFlowCore REQUIRED)
add_library(app SHARED app.cc)
target_link_libraries(app TensorFlowCore::static)
"""


@pytest.fixture(scope="module", params=TRIPLES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("android")
    library = build(request.param, folder)
    (folder / "include").mkdir()
    for name in ("Android.mk", "TensorFlowCoreConfig.cmake", "link_flags.txt"):
        (folder / name).write_bytes(fragment(FACTS, name, "2.14.1", has_session=True))
    for flag in SYSTEM:  # empty system libraries
        checked(["llvm-ar-19", "qcsD", folder / f"lib{flag.removeprefix('-l')}.a"])
    return library


def _link_flags(built: Built) -> list[str]:
    return [f"--target={built.triple}", "-fuse-ld=lld-19", "-nostdlib", f"-L{built.folder}"]


def _initialisers(library: Path) -> int:
    """The number of functions that run when the library is loaded."""
    with library.open("rb") as stream:
        elf = ELFFile(stream)
        section = elf.get_section_by_name(".init_array")
        return int(section["sh_size"] * 8 // elf.elfclass) if section else 0


def _link(built: Built, output: Path, flags: list[str]) -> int:
    command = ["clang++-19", *_link_flags(built), "-shared", "-o", str(output), str(built.app)]
    checked([*command, *flags])
    return _initialisers(output)


def _modules(built: Built, folder: Path) -> dict[str, list[str]]:
    for name, text in {"Makefile": MAKEFILE, "clear.mk": CLEAR, "print.mk": PRINT}.items():
        (folder / name).write_text(text)
    lines = checked(["make", "-s", f"FOLDER={built.folder}"], cwd=folder).splitlines()
    return {line.split("|")[0]: line.split("|")[1:] for line in lines}


def test_ndk_build(built: Built, tmp_path: Path) -> None:
    modules = _modules(built, tmp_path)
    archive, ldflags, ldlibs = modules["tensorflow-core"]
    assert modules["tensorflow-core-shared"] == ["libtensorflow-core.so", "", ""]
    # ndk-build puts a module's exported flags before its archive, and system libraries last.
    flags = [*shlex.split(ldflags), str(built.folder / archive), *shlex.split(ldlibs)]
    assert _link(built, tmp_path / "libapp.so", flags) == 1


def test_cmake_as_gradle_runs_it(built: Built, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE)
    (source / "app.cc").write_text((built.folder / "app.cc").read_text())
    values = {
        "CMAKE_CXX_COMPILER": "clang++-19",
        "CMAKE_CXX_COMPILER_TARGET": built.triple,
        "CMAKE_SHARED_LINKER_FLAGS": shlex.join(_link_flags(built)),
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_TRY_COMPILE_TARGET_TYPE": "STATIC_LIBRARY",
        "TensorFlowCore_DIR": built.folder,
    }
    build_folder = tmp_path / "build"
    definitions = [f"-D{name}={value}" for name, value in values.items()]
    checked(["cmake", "-S", source, "-B", build_folder, *definitions])
    checked(["cmake", "--build", build_folder])
    assert _initialisers(build_folder / "libapp.so") == 1


def test_plain_flags(built: Built, tmp_path: Path) -> None:
    flags = (built.folder / "link_flags.txt").read_text().split()
    assert _link(built, tmp_path / "libapp.so", flags) == 1


def test_without_the_flags_nothing_is_registered(built: Built, tmp_path: Path) -> None:
    flags = [str(built.folder / "libtensorflow-core.a")]
    assert _link(built, tmp_path / "libapp.so", flags) == 0
