"""Describes the binary interface of tfcarve_c_api.h: functions, enumerators and the layouts of structures.

    PYTHONPATH=tests python -m runtime.include.c_api_abi tools/runtime/include/tfcarve_c_api.h > tests/runtime/include/c_api_abi.txt

Layouts that depend on the machine are listed as "64-bit | 32-bit Arm | 32-bit x86". The last two align 64-bit integers
differently.

A change that programs built before cannot use needs a new major version of the interface.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
_ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} \1;", re.DOTALL)
_FUNCTION = re.compile(r"^TFCARVE_EXPORT ([^;]+);", re.MULTILINE)
_CALLBACK = re.compile(r"typedef ([^;{}]+\(\*\w+\)\([^;]*);")
_POINTER = re.compile(r"\(\*(\w+)\)\(")
_NAME = re.compile(r"(\w+)$")
# For a 64-bit machine, 32-bit Arm and 32-bit x86.
COMPILERS = ("g++", "arm-linux-gnueabihf-g++", "i686-linux-gnu-g++")


def _text(header: str) -> str:
    """The header without comments."""
    return re.sub(r"//.*", "", header)


def _line(declaration: str) -> str:
    return " ".join(declaration.split()).replace("( ", "(")


def _member(declaration: str) -> str:
    found = _POINTER.search(declaration) or _NAME.search(declaration.strip())
    assert found is not None, declaration
    return found[1]


# A line with a `{}` for each number, and the constant expressions of these numbers.
_Fact = tuple[str, tuple[str, ...]]


def _facts(text: str) -> Iterator[_Fact]:
    for name, body in _STRUCT.findall(text):
        yield f"struct {name}: {{}} bytes", (f"sizeof({name})",)
        for member in map(_member, filter(str.strip, body.split(";"))):
            size, at = f"sizeof((({name}*)0)->{member})", f"offsetof({name}, {member})"
            yield f"  {member}: {{}} bytes at {{}}", (size, at)
    for name, body in _ENUM.findall(text):
        yield f"enum {name}: {{}} bytes", (f"sizeof({name})",)
        for enumerator in re.findall(r"(\w+) = ", body):
            yield f"  {enumerator} = {{}}", (enumerator,)


def _numbers(header: Path, facts: Iterable[_Fact], compiler: str) -> list[list[int]]:
    """The numbers of each fact, from the assembly that a compiler writes: its programs need not run here."""
    lines = [f'#include "{header}"', "void facts(void) {"]
    for _, expressions in facts:
        operands = [f'"i"({expression})' for expression in expressions]
        template = "".join(f" %c{i}" for i in range(len(operands)))
        lines.append(f'__asm__("FACT{template}" : : {", ".join(operands)});')
    command = [compiler, "-x", "c", "-std=c99", "-S", "-", "-o", "-"]
    source = "\n".join([*lines, "}"])
    done = subprocess.run(command, input=source, check=True, capture_output=True, text=True)
    found = re.findall(r"FACT((?: -?\d+)+)", done.stdout)
    return [[int(number) for number in line.split()] for line in found]


def functions(header: Path) -> set[str]:
    """Returns the names of the functions that libraries export."""
    found = _FUNCTION.findall(_text(header.read_text(encoding="utf-8")))
    return {re.findall(r"(\w+)\(", declaration)[0] for declaration in found}


def described(header: Path) -> str:
    """Returns the description."""
    text = _text(header.read_text(encoding="utf-8"))
    version = re.search(r"#define TFCARVE_API_VERSION (\d+)", text)
    assert version is not None
    lines = [f"version {version[1]}"]
    lines += [f"typedef {_line(found)}" for found in _CALLBACK.findall(text)]
    lines += [_line(found) for found in _FUNCTION.findall(text)]
    facts = list(_facts(text))
    machines = [_numbers(header.resolve(), facts, compiler) for compiler in COMPILERS]
    for (line, _), *numbers in zip(facts, *machines, strict=True):
        label, separator, value = re.split(r"(: | = )", line)
        each = [value.format(*of_machine) for of_machine in numbers]
        lines.append(label + separator + " | ".join(each if len(set(each)) > 1 else each[:1]))
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(described(Path(sys.argv[1])), end="")
