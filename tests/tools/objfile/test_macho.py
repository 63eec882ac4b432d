"""Tests of reading Mach-O files with values that lief does not know."""

import struct

import pytest
from binaries import archive, macho_library, macho_object

from tfcarve.errors import InvalidInput
from tfcarve.objfile.linked_macho import LinkedMachO
from tfcarve.objfile.macho_objects import mach_objects

# sizeof(mach_header_64), offset of the first section's flags in its segment command, LC_BUILD_VERSION
_HEADER, _FLAGS, _BUILD_VERSION = 32, 72 + 64, b"\x32\0\0\0\x18\0\0\0"


@pytest.mark.parametrize(("kind", "file_bytes"), [(0, 8), (1, 0), (0x0C, 0), (0x12, 0), (255, 8)])
@pytest.mark.parametrize("attributes", [0, 0x80000400])
def test_types_of_sections(kind: int, file_bytes: int, attributes: int) -> None:
    data = bytearray(macho_library({"__text": bytes(8)}))
    struct.pack_into("<I", data, _HEADER + _FLAGS, attributes | kind)
    section = LinkedMachO(bytes(data), "x.dylib").sections[0]
    assert (section.name, section.size, section.file_bytes) == ("__TEXT,__text", 8, file_bytes)


@pytest.mark.parametrize(
    ("number", "platform"), [(2, "ios"), (7, "ios-simulator"), (0xFFFF, "platform 65535")]
)
def test_platforms(number: int, platform: str) -> None:
    data = bytearray(macho_object({"__text": bytes(8), "__mod_init_func": bytes(16)}))
    struct.pack_into("<I", data, data.index(_BUILD_VERSION) + 8, number)
    (found,) = mach_objects(archive({"a.o": bytes(data)}), "x.a")
    assert (found.arch, found.platform, found.initialisers) == ("arm64", platform, 2)


def test_a_segment_whose_name_is_not_text() -> None:
    data = macho_library({"__text": bytes(8)})
    with pytest.raises(InvalidInput, match=r"x\.dylib: a segment has a name that is not UTF-8"):
        LinkedMachO(data.replace(b"__TEXT", b"__TE\xffT"), "x.dylib")


@pytest.mark.parametrize("sections", [3, 1 << 22, 1 << 31])
def test_a_segment_that_declares_more_sections_than_it_has(sections: int) -> None:
    """Without the check, lief would create an object for each of them."""
    data = bytearray(macho_library({"__text": bytes(8)}))
    command, size, found = struct.unpack_from("<II56xI", data, _HEADER)
    assert (command, size) == (0x19, 72 + 80 * found)
    assert LinkedMachO(bytes(data), "x.dylib").sections
    struct.pack_into("<I", data, _HEADER + 64, found + sections)
    with pytest.raises(InvalidInput, match=r"x\.dylib: not a complete Mach-O file"):
        LinkedMachO(bytes(data), "x.dylib")


@pytest.mark.parametrize(("at", "value"), [(16, 1 << 31), (36, 0), (36, 7), (36, 1 << 31)])
def test_commands_that_end_beyond_the_file(at: int, value: int) -> None:
    data = bytearray(macho_library({"__text": bytes(8)}))
    struct.pack_into("<I", data, at, value)
    with pytest.raises(InvalidInput, match="not a complete Mach-O file"):
        LinkedMachO(bytes(data), "x.dylib")
