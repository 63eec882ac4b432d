"""Reads the header of the C interface with pycparser."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pycparser import CParser, c_ast

# In the repository.
FILE = "tools/runtime/include/tfcarve_c_api.h"
PATH = Path(__file__).parents[2] / FILE
# Types of the headers that it includes, which are not read.
SCALARS = ("size_t", *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)))
_VERSION = "TFCARVE_API_VERSION"
_SYSTEM = "#include <"
_COMPILER = ("gcc", "-E", "-P", "-x", "c", "-std=c99", "-D__attribute__(x)=", "-")


@dataclass(frozen=True)
class Header:
    """What a header declares, by name.

    Attributes:
      version: of the interface.
      enums: the values of the enumerators of each enum.
      structures: the types of the members of each structure.
      opaque: structures whose members an app does not see.
      callbacks: types of functions that an app passes.
      functions: functions that a library exports.
    """

    version: int
    enums: Mapping[str, Mapping[str, int]]
    structures: Mapping[str, Mapping[str, c_ast.Node]]
    opaque: Collection[str]
    callbacks: Mapping[str, c_ast.FuncDecl]
    functions: Mapping[str, c_ast.FuncDecl]


def parameters(function: c_ast.FuncDecl) -> Sequence[c_ast.Node]:
    """Returns the types of the parameters."""
    types = [each.type for each in function.args.params] if function.args else []
    return [] if [name_of(each) for each in types] == ["void"] else types


def name_of(declared: c_ast.Node) -> str:
    """Returns the name of a type; "" for a pointer."""
    match declared:
        case c_ast.TypeDecl(type=c_ast.IdentifierType(names=[*_, str(name)])):
            return name
    return ""


def _preprocessed(text: str) -> str:
    """Returns the declarations without comments and macros, with the version as an enumerator."""
    own = [line for line in text.splitlines() if not line.startswith(_SYSTEM)]
    scalars = [f"typedef int {name};" for name in SCALARS]
    lines = [*scalars, *own, f"enum {{ VERSION = {_VERSION} }};"]
    done = subprocess.run(
        _COMPILER, input="\n".join(lines), check=True, capture_output=True, text=True
    )
    return done.stdout


def _enumerators(enum: c_ast.Enum) -> dict[str, int]:
    return {each.name: int(each.value.value) for each in enum.values.enumerators}


def read(path: Path = PATH) -> Header:
    """Reads a header of the C interface.

    Raises:
      pycparser.c_parser.ParseError: it is not C99.
      ValueError: it declares something else.
    """
    opaque: list[str] = []
    enums, structures, callbacks, functions = {}, {}, {}, {}
    text = _preprocessed(path.read_text(encoding="utf-8"))
    *declarations, version = CParser().parse(text, str(path)).ext[len(SCALARS) :]
    for declared in declarations:
        match declared:
            case c_ast.Typedef(type=c_ast.TypeDecl(type=c_ast.Enum() as enum)):
                enums[declared.name] = _enumerators(enum)
            case c_ast.Typedef(type=c_ast.TypeDecl(type=c_ast.Struct() as struct)):
                if struct.decls is None:
                    opaque.append(declared.name)
                else:
                    structures[declared.name] = {each.name: each.type for each in struct.decls}
            case c_ast.Typedef(type=c_ast.PtrDecl(type=c_ast.FuncDecl() as function)):
                callbacks[declared.name] = function
            case c_ast.Decl(type=c_ast.FuncDecl() as function):
                functions[declared.name] = function
            case _:
                raise ValueError(
                    f"{declared.name}: neither a function, a structure, an enum nor a callback"
                )
    (number,) = _enumerators(version.type).values()
    return Header(number, enums, structures, opaque, callbacks, functions)
