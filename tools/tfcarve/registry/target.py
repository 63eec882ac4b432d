"""The predefined macros of a target's compiler, which decide which kernels a source registers on that platform.

Kernels depend on macros such as `__ARM_NEON`, `__x86_64__` and `__ANDROID__`. The target's compiler lists its macros
(`-dM -E -x c++ /dev/null`); the host's preprocessor then uses these macros instead of its own (`-undef`). Pure.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput

_DEFINE = re.compile(r"#define ([A-Za-z_$][\w$]*)(\([\w$, .]*\))?(?: .*(?<!\\))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)
# Macros of the language: every preprocessor defines them, -undef does not change that.
_STANDARD = re.compile(r"__cplusplus|__STDC_\w+|__STDCPP_\w+|__STDC__")
# clang defines them without listing them, and headers use them if __clang__ is defined.
_CLANG_FUNCTIONS = ("__has_feature", "__has_extension")


@dataclass(frozen=True)
class Target:
    """A platform.

    Attributes:
      name: a triple or the name of a platform; empty: the host.
      macros: the names of the macros that its compiler predefines, each with its line.
    """

    name: str = ""
    macros: tuple[tuple[str, str], ...] = ()

    def text(self, defines: Iterable[str]) -> str:
        """Returns the lines that define the macros, without the macros that `defines` (NAME or NAME=VALUE) defines."""
        defined = {define.partition("=")[0] for define in defines}
        lines = [line for name, line in self.macros if name not in defined]
        if any(name == "__clang__" for name, _ in self.macros):
            lines += [f"#ifndef {f}\n#define {f}(x) 0\n#endif" for f in _CLANG_FUNCTIONS]
        return "".join(f"{line}\n" for line in lines)


HOST = Target()


def parse(name: str, dump: str, where: str) -> Target:
    """Parses the list of macros that a compiler prints.

    Args:
      name: the target's name.
      dump: the output of the target's compiler for `-dM -E -x c++ /dev/null`.
      where: the name of the file with `dump`, for messages.

    Raises:
      InvalidInput: the name or a line is malformed, or there are no macros.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} is not the name of a target: letters, digits, '.', '_', '-' and '+' are allowed"
        )
    macros = _macros(dump.splitlines(), where)
    if not macros:
        raise InvalidInput(
            f"{where}: no macros: pass the output of `COMPILER -dM -E -x c++ /dev/null`"
        )
    return Target(name, tuple(macros))


def _macros(lines: Sequence[str], where: str) -> list[tuple[str, str]]:
    macros = []
    for number, line in enumerate(lines, 1):
        match = _DEFINE.fullmatch(line)
        if line and not match:
            raise InvalidInput(
                f"{where}:{number}: not a #define: {line[:80]!r}: "
                "pass the output of `COMPILER -dM -E -x c++ /dev/null`"
            )
        if match and not _STANDARD.fullmatch(match[1]):
            macros.append((match[1], line))
    return macros
