"""The native libraries in a finished Android package: an APK, an app bundle (AAB) or an AAR.

Sources: Android's "Support 16 KB page sizes" and "zipalign"; PKWARE's APPNOTE, section 4.3.7.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tfcarve.errors import InvalidInput, Problem
from tfcarve.objfile import cpu
from tfcarve.objfile.shared_library import SharedLibrary, read_shared_library

PAGE_SIZE = 16384
# lib/ABI in an APK, module/lib/ABI in a bundle, jni/ABI in an AAR. An APK may have other files in assets/lib.
_LIBRARY = re.compile(r"(?:(?:(?!assets/)[^/]+/)?lib|jni)/([^/]+)/([^/]+\.so)")
_MAX_BYTES = 1 << 30
_MAX_LIBRARIES = 2000
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)
# Texts in each copy of a library: the start of libc++abi's messages, and names of sources in messages of protobuf.
_COPIES = {"libc++": b"libc++abi: ", "protobuf": b"google/protobuf/"}


@dataclass(frozen=True)
class Packed:
    """A library in a package.

    Attributes:
      path: in the package.
      abi: the ABI of its folder.
      name: of its file.
      size: in bytes, not compressed.
      offset: where its bytes begin in the package; None if they are compressed, so Android copies them when the app is installed.
      library: its properties.
      copies: the libraries of which it contains a copy.
    """

    path: str
    abi: str
    name: str
    size: int
    offset: int | None
    library: SharedLibrary
    copies: tuple[str, ...]

    @property
    def has_large_pages(self) -> bool:
        """Whether its CPU has devices with pages of 16 KB: those with 64 bits."""
        return self.library.bits == 64


def libraries(path: Path) -> list[Packed]:
    """Reads the libraries in a package.

    Raises:
      InvalidInput: it is not a package, a library in it is damaged, or it has none.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            matches = ((_LIBRARY.fullmatch(m.filename), m) for m in archive.infolist())
            members = [(match[1], match[2], m) for match, m in matches if match]
            if len(members) > _MAX_LIBRARIES:
                raise InvalidInput(f"{path}: has {len(members)} libraries: crafted to take long")
            found = [_packed(path, file, archive, *member) for member in members]
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None
    except _DAMAGED as error:
        raise InvalidInput(f"{path}: not an APK, AAB or AAR, or damaged: {error}") from None
    if not found:
        raise InvalidInput(
            f"{path}: has no native library (lib/ABI/*.so, or jni/ABI/*.so in an AAR)"
        )
    return sorted(found, key=lambda one: (one.abi, one.name))


def _packed(
    path: Path,
    file: IO[bytes],
    archive: zipfile.ZipFile,
    abi: str,
    name: str,
    member: zipfile.ZipInfo,
) -> Packed:
    if member.file_size > _MAX_BYTES:
        raise InvalidInput(
            f"{path}: {member.filename} claims {member.file_size:,} bytes: damaged, or crafted"
        )
    with archive.open(member) as stream:
        data = stream.read(member.file_size)
    file.seek(member.header_offset)
    _, name_size, extra_size = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    start = member.header_offset + _LOCAL_HEADER.size + name_size + extra_size
    return Packed(
        member.filename,
        abi,
        name,
        len(data),
        start if member.compress_type == zipfile.ZIP_STORED else None,
        read_shared_library(data, f"{path}: {member.filename}"),
        tuple(library for library, text in _COPIES.items() if text in data),
    )


def problems(found: Iterable[Packed], *, is_library: bool) -> Iterator[Problem]:
    """Yields why devices, or Google Play, refuse the package or crash with it.

    Args:
      found: its libraries.
      is_library: whether it is an AAR, whose libraries are packed again with the app.
    """
    listed = list(found)
    places: dict[str, list[str]] = {}
    for one in listed:
        for text in _wrong(one, is_library):
            places.setdefault(text, []).append(one.path)
    for text, paths in places.items():
        yield Problem(text, places=tuple(paths))
    yield from map(Problem, _missing(listed))


def _wrong(one: Packed, is_library: bool) -> Iterator[str]:
    """Yields what is wrong with one library."""
    expected = cpu.BY_ANDROID_ABI.get(one.abi)
    if expected is None:
        yield f"{one.abi} is not an ABI of Android: {', '.join(sorted(cpu.BY_ANDROID_ABI))}"
        return
    if (one.library.cpu, one.library.bits) != (expected.name, expected.bits):
        yield f"a library for {one.library.cpu} ({one.library.bits} bits) is in the folder of {one.abi}"
        return
    if one.library.has_text_relocations:
        yield "text relocations, which Android rejects: compile with -fPIC"
    if not one.has_large_pages:
        return
    if one.library.alignment < PAGE_SIZE:
        yield (
            f"segments are aligned to {one.library.alignment} bytes, so devices with 16 KB pages do not load the library: link it "
            f"with -Wl,-z,max-page-size={PAGE_SIZE}"
        )
    if not is_library and one.offset is not None and one.offset % PAGE_SIZE:
        yield (
            "a library is stored at no multiple of 16 KB: run zipalign -P 16, or build with the Android Gradle plugin 8.5.1 or later"
        )


def _missing(found: Iterable[Packed]) -> Iterator[str]:
    """Yields libraries that are not there for each ABI: on such a device, the app has the others but not these."""
    by_abi: dict[str, set[str]] = {}
    for one in found:
        by_abi.setdefault(one.abi, set()).add(one.name)
    for name in sorted(set().union(*by_abi.values())):
        has = sorted(abi for abi, names in by_abi.items() if name in names)
        lacks = sorted(by_abi.keys() - set(has))
        if lacks:
            yield f"{name}: is there for {', '.join(has)}, but not for {', '.join(lacks)}: package it for the same ABIs as the others"


def notes(found: Iterable[Packed]) -> Iterator[str]:
    """Yields what makes a package larger than it must be."""
    copies: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if not one.library.is_stripped:
            yield f"{one.path}: is not stripped: run llvm-strip --strip-unneeded"
        for library in one.copies:
            copies.setdefault((one.abi, library), []).append(one.name)
    for (abi, library), names in copies.items():
        if len(names) > 1:
            yield f"{abi}: {', '.join(names)} contain a copy of {library} each"
