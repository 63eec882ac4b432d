"""Tests of what shared libraries for Android must be, with libraries that clang and lld make."""

from collections.abc import Sequence
from pathlib import Path

import clang
import pytest

from tfcarve.errors import InvalidInput
from tfcarve.package.android_library import AndroidLibrary, problems, read

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
    return list(problems(read(data, NAME), abi, NAME, 24))


@pytest.mark.parametrize("abi", sorted(TARGETS))
def test_a_fit_library_has_no_problems(tmp_path: Path, abi: str) -> None:
    data = linked(tmp_path, abi, list(_GOOD.values()))
    library = read(data, NAME)
    assert library.exported == {"tfcarve_count", "Java_org_t_T_count"}
    assert library.initialisers == 1
    assert library.api_level == 0
    assert _found(data, abi) == []


@pytest.mark.parametrize(
    ("without", "instead", "message"),
    [
        ("soname", "-Wl,-soname,libother.so", "its SONAME is libother.so; link with -Wl,-soname"),
        ("soname", "-Wl,--build-id=sha1", "its SONAME is none"),
        ("page", "-Wl,-z,max-page-size=4096", "aligned to 4096 bytes; devices with pages of 16 KB"),
        ("id", "-Wl,--build-id=none", "has no build id"),
        ("relro", "-Wl,-z,norelro", "can be written to after it is relocated"),
        ("relro", "-Wl,-z,relro,-z,lazy", "can be written to after it is relocated"),
        (
            "exports",
            "-Wl,--build-id=sha1",
            "exports 4 symbols that are no interface: _Z3addv, count, leaked",
        ),
    ],
)
def test_each_lack_is_told(tmp_path: Path, without: str, instead: str, message: str) -> None:
    flags = [flag for name, flag in _GOOD.items() if name != without] + [instead]
    (problem,) = _found(linked(tmp_path, "arm64-v8a", flags), "arm64-v8a")
    assert message in problem


@pytest.mark.parametrize(
    ("built", "wanted", "message"),
    [
        ("armeabi-v7a", "arm64-v8a", "is for EM_ARM with 32 bits; arm64-v8a is EM_AARCH64 with 64"),
        ("x86_64", "x86", "is for EM_X86_64 with 64 bits; x86 is EM_386 with 32 bits"),
    ],
)
def test_another_abi_is_told(tmp_path: Path, built: str, wanted: str, message: str) -> None:
    (problem,) = _found(linked(tmp_path, built, list(_GOOD.values())), wanted)
    assert message in problem


@pytest.mark.parametrize(
    ("level", "message"),
    [(23, ""), (24, ""), (25, "was linked for API level 25, the app is for 24")],
)
def test_a_library_for_a_newer_android_is_told(tmp_path: Path, level: int, message: str) -> None:
    """The note is as the NDK's crtbegin_so.o has it."""
    words = f'.long 8, 4, 1\n.ascii "Android\\0"\n.long {level}\n.previous'
    note = f'.section .note.android.ident,"a",%note\n.balign 4\n{words}'
    source = f'{_SOURCE}\n__asm__(R"({note})");'
    data = linked(tmp_path, "arm64-v8a", list(_GOOD.values()), source)
    assert read(data, NAME).api_level == level
    assert [p[: len(message)] for p in _found(data, "arm64-v8a")] == [message] * bool(message)


def test_relocations_in_code_are_told(tmp_path: Path) -> None:
    flags = [*_GOOD.values(), "-Wl,-z,notext"]
    (problem,) = _found(linked(tmp_path, "x86", flags, _SOURCE, "-fno-pic"), "x86")
    assert "has relocations in its code" in problem


def test_what_is_no_shared_library_is_refused(tmp_path: Path) -> None:
    data = linked(tmp_path, "arm64-v8a", list(_GOOD.values()))
    one = clang.compiled(tmp_path, TARGETS["arm64-v8a"], "int t;")
    for damaged, message in (
        (b"", "no whole ELF file"),
        (b"\x7fELF" + bytes(60), "no whole ELF file"),
        (data[:200], "no whole ELF file"),
        (one.read_bytes(), "no shared library"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read(damaged, NAME)


def test_any_cut_is_refused_or_read(tmp_path: Path) -> None:
    data = linked(tmp_path, "armeabi-v7a", list(_GOOD.values()))
    for size in range(0, len(data), 97):
        try:
            assert isinstance(read(data[:size], NAME), AndroidLibrary)
        except InvalidInput:
            continue
