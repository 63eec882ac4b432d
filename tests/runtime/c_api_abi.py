"""Describes the binary interface of tfcarve_c_api.h: functions, enumerators and the layouts of structures.

    PYTHONPATH=tests python -m runtime.c_api_abi tools/runtime/tfcarve_c_api.h > tests/runtime/c_api_abi.txt

A change that programs built before cannot use needs a new major version of the interface.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

_STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
_ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} \1;", re.DOTALL)
_FUNCTION = re.compile(r"^TFCARVE_EXPORT ([^;]+);", re.MULTILINE)
_CALLBACK = re.compile(r"typedef ([^;{}]+\(\*\w+\)\([^;]*);")
_POINTER = re.compile(r"\(\*(\w+)\)\(")
_NAME = re.compile(r"(\w+)$")


def _text(header: str) -> str:
    """The header without comments."""
    return re.sub(r"//.*", "", header)


def _line(declaration: str) -> str:
    return " ".join(declaration.split()).replace("( ", "(")


def _member(declaration: str) -> str:
    found = _POINTER.search(declaration) or _NAME.search(declaration.strip())
    assert found is not None, declaration
    return found[1]


def _program(header: Path, text: str) -> str:
    """A C program that prints a line for each member of each structure and each enumerator."""
    lines = [f'#include "{header}"', "#include <stdio.h>", "int main(void) {"]
    for name, body in _STRUCT.findall(text):
        lines.append(f'printf("struct {name}: %zu bytes\\n", sizeof({name}));')
        for member in map(_member, filter(str.strip, body.split(";"))):
            size = f"sizeof((({name}*)0)->{member})"
            at = f"offsetof({name}, {member})"
            lines.append(f'printf("  {member}: %zu bytes at %zu\\n", {size}, {at});')
    for name, body in _ENUM.findall(text):
        lines.append(f'printf("enum {name}: %zu bytes\\n", sizeof({name}));')
        for enumerator in re.findall(r"(\w+) = ", body):
            lines.append(f'printf("  {enumerator} = %d\\n", (int){enumerator});')
    return "\n".join([*lines, "return 0;", "}"])


def described(header: Path) -> str:
    """Returns the description, for a 64-bit machine."""
    text = _text(header.read_text(encoding="utf-8"))
    version = re.search(r"#define TFCARVE_API_VERSION (\d+)", text)
    assert version is not None
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "abi.c"), Path(folder, "abi")
        source.write_text(_program(header.resolve(), text), encoding="utf-8")
        subprocess.run(["gcc", "-std=c99", source, "-o", program], check=True)
        done = subprocess.run([program], check=True, capture_output=True, text=True)
    functions = [_line(found) for found in _FUNCTION.findall(text)]
    callbacks = [f"typedef {_line(found)}" for found in _CALLBACK.findall(text)]
    return "\n".join([f"version {version[1]}", *callbacks, *functions, done.stdout])


if __name__ == "__main__":
    print(described(Path(sys.argv[1])), end="")
