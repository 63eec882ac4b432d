"""The settings of an index: the defines, the preprocessor, the target."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.registry.target import HOST, Target


@dataclass(frozen=True)
class Settings:
    """The settings of an index. An index depends on them and on the tree's files.

    Attributes:
      defines: the macros of the compile, NAME or NAME=VALUE.
      compiler: the command of the host's C++ compiler, whose preprocessor is used.
      target: the platform that the index is for.
    """

    defines: tuple[str, ...]
    compiler: tuple[str, ...]
    target: Target = HOST

    def key(self) -> list[str]:
        """Returns texts that are equal for equal settings; the compiler is identified by its file.

        Raises:
          InvalidInput: there is no such compiler.
        """
        stamp = _stamp(self.compiler)
        return [*self.defines, stamp, self.target.name, self.target.text(self.defines)]


def find_compiler(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the C++ compiler's command: $CXX, or g++, clang++ or c++ on PATH.

    A relative path becomes absolute, because the compiler runs in another folder.

    Raises:
      InvalidInput: there is no compiler.
    """
    named = environment.get("CXX", "").split()
    if named:
        program = os.path.abspath(named[0]) if "/" in named[0] else named[0]
        return (program, *named[1:])
    for name in ("g++", "clang++", "c++"):
        found = shutil.which(name)
        if found:
            return (found,)
    raise InvalidInput(
        "no C++ compiler was found: the index needs a C++ preprocessor: install g++ or set CXX"
    )


def _stamp(compiler: Sequence[str]) -> str:
    place = shutil.which(compiler[0])
    if place is None:
        raise InvalidInput(
            f"{compiler[0]}: no such command: the index needs a C++ preprocessor: set CXX"
        )
    real = os.path.realpath(place)
    status = os.stat(real)
    return f"{real} {status.st_size} {status.st_mtime_ns} {' '.join(compiler[1:])}"
