"""Renames the symbols that a static library defines, so that they do not clash with other libraries' symbols.

An app that also links its own protobuf, Abseil or TensorFlow has every symbol of these twice. The linker refuses that,
or uses one definition for both, which is wrong if the versions differ. Only symbol names in the object files change:
nothing is compiled again, and names that a program prints stay the same.
"""

from collections.abc import Iterable

from tfcarve.interface import is_public

PREFIX = "_tfcarved_"

# tflite::AcquireFlexDelegate(): the definition that replaces the interpreter's weak one in a static link.
_CXX_PUBLIC = "_ZN6tflite19AcquireFlexDelegateEv"

# Symbol types of nm: those that other objects can bind to, and local symbols that name a COMDAT group. A linker keeps one
# of several groups with the same name, so group names must differ too.
_BOUND = frozenset("ABCDGIRSTVWu")
_GROUP = "n"


def defined(nm: str) -> set[str]:
    """Returns the symbols in the output of `nm -P -a --defined-only ARCHIVE…`.

    A line has a name, a type, a value and a size; a line that ends with a colon names a member of the archive.
    """
    lines = (line.split(" ") for line in nm.splitlines() if line and not line.endswith(":"))
    return {
        name
        for name, kind, *_ in lines
        if kind in _BOUND or (kind == _GROUP and not name.startswith("."))
    }


def renames(symbols: Iterable[str]) -> dict[str, str]:
    """Returns the new name of each symbol that must be renamed."""
    return {symbol: PREFIX + symbol for symbol in symbols if not _stays(symbol)}


def _stays(symbol: str) -> bool:
    # Mach-O object files have an underscore before each name of ELF.
    names = (symbol, symbol.removeprefix("_"))
    return any(is_public(name) or name == _CXX_PUBLIC for name in names)


def redefinitions(symbols: Iterable[str]) -> bytes:
    """Returns the renames as a file for `objcopy --redefine-syms`."""
    return "".join(f"{old} {new}\n" for old, new in sorted(renames(symbols).items())).encode()
