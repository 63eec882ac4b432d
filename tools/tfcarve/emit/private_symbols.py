"""Renames the symbols that a static library defines, so that they do not clash with other libraries' symbols.

An app that also links its own protobuf, Abseil or TensorFlow has every symbol of that library twice. The linker refuses
such symbols, or uses one definition for both, which is wrong if the versions differ. Only symbol names in the object files
change: nothing is compiled again, and names that a program prints do not change.
"""

from collections.abc import Iterable

from tfcarve.interface import Kind, is_public

# The prefixes of new names. An app may link a library of each kind, so their new names differ.
PREFIXES = {Kind.SESSION: "_tfcarved_", Kind.FLEX: "_tfcarvedflex_"}

# tflite::AcquireFlexDelegate(): a delegate's definition replaces the interpreter's weak one in a static link.
_CXX_PUBLIC = "_ZN6tflite19AcquireFlexDelegateEv"

# Symbol types of nm: symbols that other objects can bind to, and local symbols that name a COMDAT group. If several groups have
# the same name, a linker keeps only one of them, so group names must differ too.
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


def renames(symbols: Iterable[str], kind: Kind) -> dict[str, str]:
    """Returns the new name of each symbol that must be renamed in a library of a kind."""
    return {symbol: PREFIXES[kind] + symbol for symbol in symbols if not _stays(symbol, kind)}


def _stays(symbol: str, kind: Kind) -> bool:
    # Mach-O object files have an underscore before each name of ELF.
    names = (symbol, symbol.removeprefix("_"))
    if kind is Kind.FLEX and _CXX_PUBLIC in names:
        return True
    return any(is_public(name, kind) for name in names)


def redefinitions(symbols: Iterable[str], kind: Kind) -> bytes:
    """Returns the renames as a file for `objcopy --redefine-syms`."""
    lines = sorted(renames(symbols, kind).items())
    return "".join(f"{old} {new}\n" for old, new in lines).encode()
