"""What is read from built files: Mach-O, universal files, and files that are damaged."""

import contextlib
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_library import KERNELS, Library, selected

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.proof import binary, manifest, table

TARGET = ("-target", "aarch64-macos")
MAGICS = (b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"!<arch>\n")
ZIG = (sys.executable, "-m", "ziglang")


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small shared library."""
    built = Library(tmp_path_factory.mktemp("elf")).compile(selected())
    return built.shared().read_bytes()


@pytest.fixture(scope="module")
def mach(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The same units for a Mac, by the clang of the package ziglang, which has Apple's headers."""
    return Library(tmp_path_factory.mktemp("mach"), [*ZIG, "c++", *TARGET]).compile(selected())


def dylib(library: Library, but: str = "") -> Path:
    """Links the objects to a Mac's shared library."""
    path = library.folder / "library.dylib"
    objects = [o for o in library.objects if not but or but not in o.stem]
    library.run(*ZIG, "cc", *TARGET, "-shared", "-dead_strip", "-o", path, *objects)
    return path


def universal(*parts: bytes) -> bytes:
    """A universal file of these parts."""
    offset = 8 + 20 * len(parts)
    header = b"\xca\xfe\xba\xbe" + struct.pack(">I", len(parts))
    for number, part in enumerate(parts):
        header += struct.pack(">IIIII", 7, number, offset, len(part), 0)
        offset += len(part)
    return header + b"".join(parts)


def test_mach_o(mach: Library, capsys: pytest.CaptureFixture[str]) -> None:
    asked = mach.folder / "selection.json"
    asked.write_bytes(selected().to_json())
    whole = dylib(mach)
    assert main(["prove", str(whole), str(asked), "--cpu", "aarch64"]) == 0
    assert main(["prove", str(whole), str(asked), "--cpu", "x86_64"]) == 2
    assert "is for aarch64 (64 bits)" in capsys.readouterr().err
    assert main(["inspect", str(whole)]) == 0
    assert main(["prove", str(dylib(mach, but="k__add")), str(asked)]) == 1
    assert f"no unit of {KERNELS} is in the library" in capsys.readouterr().err


def test_universal(mach: Library, capsys: pytest.CaptureFixture[str]) -> None:
    asked = mach.folder / "selection.json"
    asked.write_bytes(selected().to_json())
    whole, cut = dylib(mach).read_bytes(), dylib(mach, but="o__ops").read_bytes()
    both = mach.folder / "both"
    both.write_bytes(universal(whole, whole))
    assert main(["prove", str(both), str(asked)]) == 0
    both.write_bytes(universal(whole, cut))
    assert main(["prove", str(both), str(asked)]) == 1
    assert "both (1): 3 not as" in capsys.readouterr().err
    both.write_bytes(universal(whole, whole)[: len(whole)])
    assert main(["prove", str(both), str(asked)]) == 2
    assert "was it cut off" in capsys.readouterr().err


@pytest.mark.parametrize("size", [0, 4, 8, 63, 64, 200, -1, -100, -4000])
def test_cut_off(elf: bytes, size: int) -> None:
    with pytest.raises(InvalidInput):
        sections = binary.images(elf[:size], "cut")[0].sections
        assert binary.TABLE not in sections  # then prove refuses it
        raise InvalidInput("no table")


def test_a_section_of_a_thousand_gigabytes(elf: bytes) -> None:
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    (count,) = struct.unpack_from("<H", elf, 0x3C)
    huge = bytearray(elf)
    for number in range(count):
        struct.pack_into("<Q", huge, start + 64 * number + 0x20, 1 << 40)
    with pytest.raises(InvalidInput, match="ends beyond the file|no whole ELF file"):
        binary.images(bytes(huge), "huge")


@settings(max_examples=150)
@given(st.data())
def test_damaged(elf: bytes, data: st.DataObject) -> None:
    damaged = bytearray(elf)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(4, len(elf) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(InvalidInput):
        (image,) = binary.images(bytes(damaged), "damaged")
        table.parse(image.sections.get(binary.TABLE, b""), "damaged")
        manifest.parse(image.sections.get(binary.MANIFEST, b"{}"), "damaged")


@given(st.binary(max_size=400), st.sampled_from(MAGICS))
def test_noise(noise: bytes, magic: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        binary.images(magic + noise, "noise")


def test_words_are_no_library() -> None:
    assert not binary.is_binary(b"these ar")
    with pytest.raises(InvalidInput, match="an ELF or Mach-O file or a static archive is expected"):
        binary.images(b"these are words", "words")


@pytest.mark.parametrize(
    "record",
    [b'kernel\x1f"A"\x1ftrue', b'op\x1f"A', b"op\x1fA B\x1ftrue", b"else\x1fA", b"unit"],
)
def test_records_that_are_none(record: bytes) -> None:
    with pytest.raises(InvalidInput, match="that this tfcarve does not know"):
        table.parse(b"unit\x1fa.cc\0\0\0" + record + b"\0", "lib")


@given(st.binary(max_size=60))
def test_tables_of_noise(noise: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        table.parse(noise, "lib")


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[]", b'{"version": 2}', b"\xff", b'{"version":1,"tfcarve":1}', b"[" * 100_000],
)
def test_manifests_that_are_none(text: bytes) -> None:
    with pytest.raises(InvalidInput, match="manifest"):
        manifest.parse(text, "lib")


def test_a_manifest_goes_there_and_back() -> None:
    made = manifest.of(selected())
    assert manifest.parse(made.to_json().encode() + b"\0", "lib") == made
