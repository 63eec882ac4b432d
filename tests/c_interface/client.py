"""Writes the declarations of the C interface for Python's ctypes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pycparser import c_ast

from c_interface import header
from c_interface.header import Header

_HEAD = '''\
"""The C interface of a library in ctypes: made from its header by `PYTHONPATH=tests python -m c_interface.update`."""

import ctypes
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tfcarve.client.sized_structure import SizedStructure

# fmt: off
API_VERSION = {version}
'''
_FUNCTIONS = """
# The types of the result and of the arguments of each function.
FUNCTIONS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
"""
_PREFIX = "tfcarve_"
# The first member of structures that begin with their size.
_SIZE = "struct_size"
# ctypes has c_int32 for int32_t, but c_size_t for size_t.
_SUFFIX = re.compile(r"(?<=\d)_t\Z")
_POINTERS = {"char": "ctypes.c_char_p", "void": "ctypes.c_void_p"}


def _class_name(name: str) -> str:
    """Returns SessionOptions for tfcarve_session_options."""
    return name.removeprefix(_PREFIX).title().replace("_", "")


class _Types:
    """The types of ctypes for the types of a header; its methods raise ValueError for a type that they do not know."""

    def __init__(self, of: Header) -> None:
        self._named = {name: f"ctypes.c_{_SUFFIX.sub('', name)}" for name in header.SCALARS}
        self._named |= {name: _class_name(name) for name in (*of.structures, *of.callbacks)}
        self._pointers = _POINTERS | dict.fromkeys(of.opaque, "ctypes.c_void_p")

    def of(self, declared: c_ast.Node) -> str:
        """Returns the type of a member, a parameter or a result."""
        if isinstance(declared, c_ast.PtrDecl):
            return self._pointer(declared.type)
        name = header.name_of(declared)
        if name not in self._named:
            raise ValueError(f"no type of ctypes is known for {name}")
        return self._named[name]

    def _pointer(self, target: c_ast.Node) -> str:
        if isinstance(target, c_ast.FuncDecl):
            return self.callback(target)
        known = self._pointers.get(header.name_of(target))
        return known or f"ctypes.POINTER({self.of(target)})"

    def result(self, function: c_ast.FuncDecl) -> str:
        """Returns the type of a result."""
        return "None" if header.name_of(function.type) == "void" else self.of(function.type)

    def parameters(self, function: c_ast.FuncDecl) -> list[str]:
        """Returns the types of the parameters."""
        return [self.of(each) for each in header.parameters(function)]

    def callback(self, function: c_ast.FuncDecl) -> str:
        """Returns the type of a function that a library calls."""
        return f"ctypes.CFUNCTYPE({', '.join([self.result(function), *self.parameters(function)])})"


def _enum(name: str, values: Mapping[str, int]) -> Iterator[str]:
    yield f'\n\nclass {_class_name(name)}(IntEnum):\n    """A {name}."""\n\n'
    for enumerator, value in values.items():
        yield f"    {enumerator.removeprefix(_PREFIX.upper())} = {value}\n"


def _structure(name: str, members: Mapping[str, c_ast.Node], types: _Types) -> Iterator[str]:
    has_size = next(iter(members)) == _SIZE
    base = "SizedStructure" if has_size else "ctypes.Structure"
    yield f'\n\nclass {_class_name(name)}({base}):\n    """A {name}."""\n\n    _fields_: ClassVar = [\n'
    for member, declared in members.items():
        yield f'        ("{member}", {types.of(declared)}),\n'
    yield "    ]\n"


def _tuple(elements: Sequence[str]) -> str:
    return f"({elements[0]},)" if len(elements) == 1 else f"({', '.join(elements)})"


def _parts(of: Header) -> Iterator[str]:
    types = _Types(of)
    yield _HEAD.replace("{version}", str(of.version))
    for name, values in of.enums.items():
        yield from _enum(name, values)
    for name, members in of.structures.items():
        yield from _structure(name, members, types)
    yield "\n\n"
    for name, function in of.callbacks.items():
        yield f"{_class_name(name)} = {types.callback(function)}\n"
    yield _FUNCTIONS
    for name, function in of.functions.items():
        yield f'    "{name}": ({types.result(function)}, {_tuple(types.parameters(function))}),\n'
    yield "}\n"


def module(of: Header) -> str:
    """Returns the text of tfcarve.client.c_interface; raises ValueError for a type that ctypes does not have."""
    return "".join(_parts(of))
