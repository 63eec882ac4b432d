"""Other names for what a static library defines, so that no other library's definitions meet them.

An app that links its own protobuf, Abseil or TensorFlow has every symbol of these twice: the linker
refuses, or takes one definition for both, which is worse where the versions differ. Only the symbols'
names in the objects change: no source is compiled again, and names that a program prints stay.
"""

import re
from collections.abc import Iterable

PREFIX = "_tfcarved_"

# What programs call: the C interface, and what Java's virtual machine looks up by name. Apple's objects
# have an underscore before each name of C.
_KEPT = re.compile(r"_?(?:tfcarve_|Java_|JNI_On(?:Load|Unload)$)")


# The types by which nm tells symbols that other objects can bind, and the local ones that name a COMDAT
# group: of the groups of one name a linker keeps one, so these names must differ too.
_BOUND = frozenset("ABCDGIRSTVWu")
_GROUP = "n"


def defined(nm: str) -> set[str]:
    """Returns the symbols in what `nm -P -a --defined-only ARCHIVE…` printed.

    A line is a name, a type, a value and a size; a line that ends in a colon names a member.
    """
    lines = (line.split(" ") for line in nm.splitlines() if line and not line.endswith(":"))
    return {
        name
        for name, kind, *_ in lines
        if kind in _BOUND or (kind == _GROUP and not name.startswith("."))
    }


def renames(symbols: Iterable[str]) -> dict[str, str]:
    """Returns the new name of each symbol that is to get one."""
    return {symbol: PREFIX + symbol for symbol in symbols if not _KEPT.match(symbol)}


def redefinitions(symbols: Iterable[str]) -> bytes:
    """Returns the same as the file that `objcopy --redefine-syms` reads."""
    return "".join(f"{old} {new}\n" for old, new in sorted(renames(symbols).items())).encode()
