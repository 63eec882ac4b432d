"""Requirements for an Android app's shared library: Android's own, and tfcarve's.

Sources: Android's "Support 16 KB page sizes"; bionic's android-changes-for-ndk-developers.md; the Java Native
Interface's specification, "Resolving Native Method Names".
"""

from collections.abc import Iterator

from tfcarve.interface import Kind, is_public
from tfcarve.objfile import cpu
from tfcarve.objfile.shared_library import SharedLibrary

_PAGE_SIZE = 16384


def problems(library: SharedLibrary, abi: str, file_name: str, api_level: int) -> Iterator[str]:
    """Yields each requirement that a library does not meet.

    Args:
      library: the library.
      abi: the ABI that it is packaged for, of cpu.BY_ANDROID_ABI.
      file_name: its name in the package.
      api_level: the minimum API level of Android that the package states.
    """
    expected = cpu.BY_ANDROID_ABI[abi]
    if (library.cpu, library.bits) != (expected.name, expected.bits):
        yield (
            f"is for {library.cpu} ({library.bits} bits), but {abi} is {expected}: compile it for that ABI"
        )
    if library.android_api_level > api_level:
        yield (
            f"was linked for API level {library.android_api_level}, but the minimum is {api_level}:"
            " lower the NDK's API level or raise the minimum"
        )
    if library.soname != file_name:
        yield f"its SONAME is {library.soname or 'missing'}: link with -Wl,-soname,{file_name}"
    if library.alignment < _PAGE_SIZE:
        yield (
            f"its segments are aligned to {library.alignment} bytes, but devices with 16 KB pages require"
            f" {_PAGE_SIZE}: link with -Wl,-z,max-page-size={_PAGE_SIZE}"
        )
    if not library.has_build_id:
        yield "has no build ID, so crash reports cannot be symbolized: link with -Wl,--build-id=sha1"
    if not library.is_relro:
        yield "has memory that stays writable after relocation: link with -Wl,-z,relro,-z,now"
    if library.has_text_relocations:
        yield "has text relocations, which Android rejects: compile with -fPIC"
    extra = sorted(name for name in library.exported if not _is_public(name))
    if extra:
        yield (
            f"exports {len(extra)} symbols that are not part of its interface: {', '.join(extra[:5])}:"
            " link with the version script and -fvisibility=hidden"
        )


def _is_public(name: str) -> bool:
    return any(is_public(name, kind) for kind in Kind)
