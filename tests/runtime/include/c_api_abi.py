"""Describes the binary interface of tfcarve_c_api.h: functions, enumerators and the layouts of structures.

    PYTHONPATH=tests python -m runtime.include.c_api_abi > tests/runtime/include/c_api_abi.txt

Layouts that depend on the machine are listed as "64-bit | 32-bit Arm | 32-bit x86". The last two align 64-bit integers
differently.

A change that programs built before cannot use needs a new major version of the interface.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from c_interface import header
from c_interface.header import Header

# For a 64-bit machine, 32-bit Arm and 32-bit x86.
COMPILERS = ("g++", "arm-linux-gnueabihf-g++", "i686-linux-gnu-g++")
# A line with a `{}` for each number, and the constant expressions of these numbers.
_Fact = tuple[str, tuple[str, ...]]


def _facts(of: Header) -> Iterator[_Fact]:
    for name, members in of.structures.items():
        yield f"struct {name}: {{}} bytes", (f"sizeof({name})",)
        for member in members:
            size, at = f"sizeof((({name}*)0)->{member})", f"offsetof({name}, {member})"
            yield f"  {member}: {{}} bytes at {{}}", (size, at)
    for name, values in of.enums.items():
        yield f"enum {name}: {{}} bytes", (f"sizeof({name})",)
        for enumerator in values:
            yield f"  {enumerator} = {{}}", (enumerator,)


def _numbers(path: Path, facts: Iterable[_Fact], compiler: str) -> list[list[int]]:
    """The numbers of each fact, from the assembly that a compiler writes: its programs need not run here."""
    lines = [f'#include "{path}"', "void facts(void) {"]
    for _, expressions in facts:
        operands = [f'"i"({expression})' for expression in expressions]
        template = "".join(f" %c{i}" for i in range(len(operands)))
        lines.append(f'__asm__("FACT{template}" : : {", ".join(operands)});')
    command = [compiler, "-x", "c", "-std=c99", "-S", "-", "-o", "-"]
    source = "\n".join([*lines, "}"])
    done = subprocess.run(command, input=source, check=True, capture_output=True, text=True)
    found = re.findall(r"FACT((?: -?\d+)+)", done.stdout)
    return [[int(number) for number in line.split()] for line in found]


def functions(path: Path) -> set[str]:
    """Returns the names of the functions that libraries export."""
    return set(header.read(path).functions)


def _signature(declared: c_ast.Node) -> str:
    return str(CGenerator().visit(declared))


def described(path: Path) -> str:
    """Returns the description of a header."""
    of = header.read(path)
    lines = [f"version {of.version}"]
    for name, function in of.callbacks.items():
        lines.append(_signature(c_ast.Typedef(name, [], ["typedef"], c_ast.PtrDecl([], function))))
    lines += [_signature(each) for each in of.functions.values()]
    facts = list(_facts(of))
    machines = [_numbers(path.resolve(), facts, compiler) for compiler in COMPILERS]
    for (line, _), *numbers in zip(facts, *machines, strict=True):
        label, separator, value = re.split(r"(: | = )", line)
        each = [value.format(*of_machine) for of_machine in numbers]
        lines.append(label + separator + " | ".join(each if len(set(each)) > 1 else each[:1]))
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(described(header.PATH), end="")
