"""Tests of proving Mach-O and universal files, and of damaged files."""

import contextlib
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_library import BIT, KERNELS, Library, selected

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.objfile import universal as fat
from tfcarve.objfile.image import is_object_file
from tfcarve.proof import manifest, sections, table

# By default, zig's compiler calls functions of UBSan.
TARGET = ("-target", "aarch64-macos", "-fno-sanitize=undefined")
MAGICS = (b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"!<arch>\n")
ZIG = (sys.executable, "-m", "ziglang")


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small shared library."""
    built = Library(tmp_path_factory.mktemp("elf")).compile(selected())
    return built.shared().read_bytes()


@pytest.fixture(scope="module")
def mach(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The same units for macOS, compiled by the ziglang package, which has Apple's headers."""
    return Library(tmp_path_factory.mktemp("mach"), [*ZIG, "c++", *TARGET]).compile(selected())


def dylib(library: Library, but: str = "") -> Path:
    """Links the objects to a shared library for macOS, without zig's own: it would compile them."""
    path = library.folder / "library.dylib"
    objects = [o for o in library.objects if not but or but not in o.stem]
    library.run(*ZIG, "cc", *TARGET, "-shared", "-nostdlib", "-dead_strip", "-o", path, *objects)
    return path


def test_mach_o(mach: Library, capsys: pytest.CaptureFixture[str]) -> None:
    selection = mach.folder / "selection.json"
    selection.write_bytes(selected().to_json())
    whole = dylib(mach)
    assert main(["prove", str(whole), str(selection), "--cpu", "aarch64"]) == 0
    assert main(["prove", str(whole), str(selection), "--cpu", "x86_64"]) == 2
    assert "is for aarch64 (64 bits)" in capsys.readouterr().err
    assert main(["inspect", str(whole)]) == 0
    assert main(["prove", str(dylib(mach, but="k__add")), str(selection)]) == 1
    assert f"the library has no unit of {KERNELS}" in capsys.readouterr().err


def test_every_slice_of_a_universal_file_is_checked(
    mach: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    selection = mach.folder / "selection.json"
    selection.write_bytes(selected().to_json())
    whole, cut = dylib(mach).read_bytes(), dylib(mach, but="o__ops").read_bytes()
    both = mach.folder / "both"

    def prove(x86: bytes, arm: bytes) -> tuple[int, str]:
        both.write_bytes(fat.pack({"x86_64": x86, "arm64": arm}))
        return main(["prove", str(both), str(selection)]), capsys.readouterr().err

    first, second = f"{both} (slice 1 of 2, x86_64)", f"{both} (slice 2 of 2, arm64)"
    missing = "op 'Add' is needed but not registered"
    assert prove(whole, whole)[0] == 0
    for slices, wrong, good in (((cut, whole), first, second), ((whole, cut), second, first)):
        status, error = prove(*slices)
        assert status == 1
        assert f"{wrong}: 3 differences from" in error
        assert f"{wrong}: {missing}" in error
        assert good not in error
    status, error = prove(cut, cut)
    assert status == 1
    assert f"{first}, {second}: 6 differences from" in error
    both.write_bytes(both.read_bytes()[:-1])
    assert main(["prove", str(both), str(selection)]) == 2
    assert f"{second}: ends beyond the file: is it truncated?" in capsys.readouterr().err


def test_hints_come_from_every_slice_of_the_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first slice of a universal archive has the units; the second one is empty."""
    selection, units = tmp_path / "selection.json", tmp_path / "libunits.a"
    wanted = selected([("Add", "AddOp<CPU, half>", KERNELS), BIT])
    selection.write_bytes(wanted.to_json())
    built = Library(tmp_path / "built")
    built.folder.mkdir()
    objects = built.compile(wanted).archive().read_bytes()
    units.write_bytes(fat.pack({"x86_64": objects, "arm64": b"!<arch>\n"}))
    assert main(["prove", str(built.shared()), str(selection), "--units", str(units)]) == 1
    assert "the nearest class is 'AddOp<CPU, float>'" in capsys.readouterr().err


@pytest.mark.parametrize("size", [0, 4, 8, 63, 64, 200, -1, -100, -4000])
def test_truncated(elf: bytes, size: int) -> None:
    with pytest.raises(InvalidInput):
        (image,) = sections.images(elf[:size], "cut")
        assert sections.TABLE not in image.sections  # then prove rejects it
        raise InvalidInput("no table")


def test_a_section_of_a_thousand_gigabytes(elf: bytes) -> None:
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    (count,) = struct.unpack_from("<H", elf, 0x3C)
    huge = bytearray(elf)
    for number in range(count):
        struct.pack_into("<Q", huge, start + 64 * number + 0x20, 1 << 40)
    with pytest.raises(InvalidInput, match="ends beyond the file|not a complete ELF file"):
        sections.images(bytes(huge), "huge")


@settings(max_examples=150)
@given(st.data())
def test_damaged(elf: bytes, data: st.DataObject) -> None:
    damaged = bytearray(elf)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(4, len(elf) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(InvalidInput):
        (image,) = sections.images(bytes(damaged), "damaged")
        table.parse(image.sections.get(sections.TABLE, b""), "damaged")
        manifest.parse(image.sections.get(sections.MANIFEST, b"{}"), "damaged")


@given(st.binary(max_size=400), st.sampled_from(MAGICS))
def test_noise(noise: bytes, magic: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        sections.images(magic + noise, "noise")


def test_text_is_no_library() -> None:
    assert not is_object_file(b"these ar")
    with pytest.raises(InvalidInput, match="expected an ELF or Mach-O file or a static archive"):
        sections.images(b"these are words", "words")


@pytest.mark.parametrize(
    "record",
    [b'kernel\x1f"A"\x1ftrue', b'op\x1f"A', b"op\x1fA B\x1ftrue", b"else\x1fA", b"unit"],
)
def test_invalid_records(record: bytes) -> None:
    with pytest.raises(
        InvalidInput, match="unknown record .* was the library built by another version"
    ):
        table.parse(b"unit\x1fa.cc\0\0\0" + record + b"\0", "lib")


@given(st.binary(max_size=60))
def test_tables_of_noise(noise: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        table.parse(noise, "lib")
