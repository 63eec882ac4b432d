"""The platform tag of a wheel with a shared library: the oldest glibc and libstdc++ that it runs with.

Sources: PEP 600, and the symbol versions in the policies of auditwheel 6.8, which tests compare with.
"""

from __future__ import annotations

from elftools.elf.gnuversions import GNUVerNeedSection

from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf as elf_files
from tfcarve.objfile.shared_library import read_shared_library

# The CPUs, and their names in tags.
_CPUS = {"x86_64": "x86_64", "aarch64": "aarch64", "armv7": "armv7l"}
# The libraries that every Linux distribution with this glibc has.
_SYSTEM = (
    *("libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so."),
    *("libgcc_s.so.", "libstdc++.so.", "ld-linux"),
)
# The newest version of libstdc++'s symbols that is on all distributions with a glibc 2.N, by N.
_GLIBCXX = (
    (17, (3, 4, 19)),
    (26, (3, 4, 22)),
    (27, (3, 4, 24)),
    (31, (3, 4, 28)),
    (34, (3, 4, 29)),
    (35, (3, 4, 30)),
    (39, (3, 4, 33)),
)
_OLDEST = 17


def tag(data: bytes, where: str) -> str:
    """Returns the tag for a shared library: "manylinux_2_35_x86_64".

    Args:
      data: an ELF file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is for another CPU or system, needs a library that not every distribution has, or is damaged.
    """
    library = read_shared_library(data, where)
    if library.cpu not in _CPUS:
        raise InvalidInput(f"{where}: is for {library.cpu}: wheels are for {', '.join(_CPUS)}")
    other = [name for name in library.needed if not name.startswith(_SYSTEM)]
    if other or not any(name.startswith("libc.so.") for name in library.needed):
        what = f"needs {', '.join(other)}" if other else "is not linked with glibc"
        raise InvalidInput(f"{where}: {what}, so it is no library for all Linux distributions")
    return f"manylinux_2_{_floor(_versions(data, where), where)}_{_CPUS[library.cpu]}"


def _versions(data: bytes, where: str) -> set[str]:
    """The versions of symbols that a library needs: "GLIBC_2.34"."""
    elf = elf_files.open_elf(data, where)
    try:
        return {
            auxiliary.name
            for section in elf.iter_sections()
            if isinstance(section, GNUVerNeedSection)
            for _, auxiliaries in section.iter_versions()
            for auxiliary in auxiliaries
        }
    except elf_files.DAMAGED as error:
        raise elf_files.damaged(where, error) from None


def _floor(versions: set[str], where: str) -> int:
    """The N of the oldest glibc 2.N whose distributions have all versions."""
    floor = _OLDEST
    for version in versions:
        library, _, text = version.partition("_")
        numbers = tuple(int(part) for part in text.split(".") if part.isdecimal())
        if library == "GLIBC" and len(numbers) >= 2:
            floor = max(floor, numbers[1])
        elif library == "GLIBCXX" and numbers:
            found = [glibc for glibc, newest in _GLIBCXX if numbers <= newest]
            if not found:
                raise InvalidInput(f"{where}: needs {version}, which is newer than tfcarve knows")
            floor = max(floor, found[0])
    return floor
