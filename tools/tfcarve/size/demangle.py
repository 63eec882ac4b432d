"""Demangles C++ symbols."""

import os
import shutil
import subprocess
from collections.abc import Iterable

# Of binutils and of LLVM: a machine with a C++ linker has one of them.
_FILTERS = ("c++filt", "llvm-cxxfilt", "llvm-cxxfilt-19")


def demangled(names: Iterable[str]) -> dict[str, str]:
    """Returns the demangled form of each name, or the name itself if no demangler is installed.

    The demangler is $CXXFILT, or one on PATH.
    """
    listed = sorted(set(names))
    candidates = (os.environ.get("CXXFILT", ""), *_FILTERS)
    program = next((found for name in candidates if (found := shutil.which(name))), None)
    mangled = [name for name in listed if name.startswith(("_Z", "__Z")) and "\n" not in name]
    plain = {name: name for name in listed}
    if program is None or not mangled:
        return plain
    done = subprocess.run(
        [program],
        input="\n".join(n.removeprefix("_") if n.startswith("__Z") else n for n in mangled) + "\n",
        text=True,
        capture_output=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    return plain | dict(zip(mangled, lines, strict=True)) if len(lines) == len(mangled) else plain
