"""Tests of the requirements for Android's shared libraries, with libraries that clang and lld build."""

from collections.abc import Sequence
from pathlib import Path

import clang
import pytest

from tfcarve.errors import InvalidInput
from tfcarve.objfile.shared_library import SharedLibrary, read_shared_library
from tfcarve.package.android_library import problems

TARGETS = {
    "arm64-v8a": "aarch64-linux-android24",
    "armeabi-v7a": "armv7a-linux-androideabi24",
    "x86": "i686-linux-android24",
    "x86_64": "x86_64-linux-android24",
}
NAME = "libt.so"
_SOURCE = """
extern "C" __attribute__((visibility("default"))) int tfcarve_count();
extern "C" __attribute__((visibility("default"))) int Java_org_t_T_count() { return 1; }
extern "C" __attribute__((visibility("default"))) int leaked() { return 1; }
volatile int count;
int add() { return count = count + 1; }
int registered = add();
extern "C" int tfcarve_count() { return count; }
"""
_GOOD = {
    "soname": f"-Wl,-soname,{NAME}",
    "page": "-Wl,-z,max-page-size=16384",
    "id": "-Wl,--build-id=sha1",
    "relro": "-Wl,-z,relro,-z,now",
    "exports": "-Wl,--version-script={folder}/exports.lds",
}


def linked(
    folder: Path, abi: str, flags: Sequence[str], source: str = _SOURCE, *more: str
) -> bytes:
    """A shared library of one source."""
    (folder / "exports.lds").write_text("{ global: tfcarve_*; Java_*; local: *; };")
    one = clang.compiled(folder, TARGETS[abi], source, "one", "-fPIC", *more)
    output = folder / NAME
    formatted = [flag.format(folder=folder) for flag in flags]
    common = (f"--target={TARGETS[abi]}", "-fuse-ld=lld", "-nostdlib", "-shared")
    clang.run("clang", *common, *formatted, one, "-o", output)
    return output.read_bytes()


def _found(data: bytes, abi: str) -> list[str]:
    return list(problems(read_shared_library(data, NAME), abi, NAME, 24))


@pytest.mark.parametrize("abi", sorted(TARGETS))
def test_a_good_library_has_no_problems(tmp_path: Path, abi: str) -> None:
    data = linked(tmp_path, abi, list(_GOOD.values()))
    library = read_shared_library(data, NAME)
    assert library.exported == {"tfcarve_count", "Java_org_t_T_count"}
    assert library.initialisers == 1
    assert library.android_api_level == 0
    assert _found(data, abi) == []


@pytest.mark.parametrize(
    ("without", "instead", "message"),
    [
        ("soname", "-Wl,-soname,libother.so", "its SONAME is libother.so: link with -Wl,-soname"),
        ("soname", "-Wl,--build-id=sha1", "its SONAME is missing"),
        (
            "page",
            "-Wl,-z,max-page-size=4096",
            "aligned to 4096 bytes, but devices with 16 KB pages",
        ),
        ("id", "-Wl,--build-id=none", "has no build ID"),
        ("relro", "-Wl,-z,norelro", "has memory that stays writable after relocation"),
        ("relro", "-Wl,-z,relro,-z,lazy", "has memory that stays writable after relocation"),
        (
            "exports",
            "-Wl,--build-id=sha1",
            "exports 4 symbols that are not part of its interface: _Z3addv, count, leaked",
        ),
    ],
)
def test_each_unmet_requirement_is_reported(
    tmp_path: Path, without: str, instead: str, message: str
) -> None:
    flags = [flag for name, flag in _GOOD.items() if name != without] + [instead]
    (problem,) = _found(linked(tmp_path, "arm64-v8a", flags), "arm64-v8a")
    assert message in problem


@pytest.mark.parametrize(
    ("built", "wanted", "message"),
    [
        ("armeabi-v7a", "arm64-v8a", "is for armv7 (32 bits), but arm64-v8a is aarch64 (64 bits)"),
        ("x86_64", "x86", "is for x86_64 (64 bits), but x86 is x86_32 (32 bits)"),
    ],
)
def test_another_abi_is_reported(tmp_path: Path, built: str, wanted: str, message: str) -> None:
    (problem,) = _found(linked(tmp_path, built, list(_GOOD.values())), wanted)
    assert message in problem


@pytest.mark.parametrize(
    ("level", "message"),
    [(23, ""), (24, ""), (25, "was linked for API level 25, but the minimum is 24")],
)
def test_a_library_for_a_newer_android_is_reported(
    tmp_path: Path, level: int, message: str
) -> None:
    """The note is that of the NDK's crtbegin_so.o."""
    words = f'.long 8, 4, 1\n.ascii "Android\\0"\n.long {level}\n.previous'
    note = f'.section .note.android.ident,"a",%note\n.balign 4\n{words}'
    source = f'{_SOURCE}\n__asm__(R"({note})");'
    data = linked(tmp_path, "arm64-v8a", list(_GOOD.values()), source)
    assert read_shared_library(data, NAME).android_api_level == level
    assert [p[: len(message)] for p in _found(data, "arm64-v8a")] == [message] * bool(message)


def test_text_relocations_are_reported(tmp_path: Path) -> None:
    flags = [*_GOOD.values(), "-Wl,-z,notext"]
    (problem,) = _found(linked(tmp_path, "x86", flags, _SOURCE, "-fno-pic"), "x86")
    assert "has text relocations" in problem


def test_other_files_are_rejected(tmp_path: Path) -> None:
    data = linked(tmp_path, "arm64-v8a", list(_GOOD.values()))
    one = clang.compiled(tmp_path, TARGETS["arm64-v8a"], "int t;")
    for damaged, message in (
        (b"", "not a complete ELF file"),
        (b"\x7fELF" + bytes(60), "not a complete ELF file"),
        (data[:200], "not a complete ELF file"),
        (one.read_bytes(), "not a shared library"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_shared_library(damaged, NAME)


def test_any_truncated_library_is_rejected_or_read(tmp_path: Path) -> None:
    data = linked(tmp_path, "armeabi-v7a", list(_GOOD.values()))
    for size in range(0, len(data), 97):
        try:
            assert isinstance(read_shared_library(data[:size], NAME), SharedLibrary)
        except InvalidInput:
            continue
