"""A stand-in for an interpreter with one Flex op, whose structures can be altered; a program, because a delegate may crash.

usage: altered_interpreter.py DELEGATE OPTIONS ALTERATION

Applies the delegate in the file DELEGATE. OPTIONS is a file with the op's custom options, and ALTERATION one of ALTERATIONS.
Prints what the delegate reports, or the number of nodes that it takes.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

_CUSTOM = 32
_FLOAT = 1
_POINTER, _INT, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p


class Indices(ctypes.Structure):
    """A TfLiteIntArray with up to two elements."""

    _fields_: ClassVar = [("size", _INT), ("data", _INT * 2)]


class Tensor(ctypes.Structure):
    """A TfLiteTensor; the members after the type are not used."""

    _fields_: ClassVar = [("type", _INT), ("rest", ctypes.c_char * 108)]


class Registration(ctypes.Structure):
    """A TfLiteRegistration."""

    _fields_: ClassVar = [
        ("functions", _POINTER * 5),
        ("builtin_code", ctypes.c_int32),
        ("custom_name", _TEXT),
        ("version", _INT),
        ("rest", _POINTER * 3),
    ]


class Node(ctypes.Structure):
    """A TfLiteNode."""

    _fields_: ClassVar = [
        ("inputs", ctypes.POINTER(Indices)),
        ("outputs", ctypes.POINTER(Indices)),
        ("unused", _POINTER * 4),
        ("custom_initial_data", _TEXT),
        ("custom_initial_data_size", _INT),
        ("rest", _POINTER * 2),
    ]


_GET_PLAN = ctypes.CFUNCTYPE(_INT, _POINTER, ctypes.POINTER(ctypes.POINTER(Indices)))
# Of a variadic function: the delegate passes one text.
_REPORT = ctypes.CFUNCTYPE(None, _POINTER, _TEXT, _TEXT)
_GET_NODE = ctypes.CFUNCTYPE(
    _INT,
    _POINTER,
    _INT,
    ctypes.POINTER(ctypes.POINTER(Node)),
    ctypes.POINTER(ctypes.POINTER(Registration)),
)
_REPLACE = ctypes.CFUNCTYPE(_INT, _POINTER, Registration, ctypes.POINTER(Indices), _POINTER)
_OTHER = ctypes.CFUNCTYPE(_INT)


class Context(ctypes.Structure):
    """A TfLiteContext."""

    _fields_: ClassVar = [
        ("tensors_size", ctypes.c_size_t),
        ("get_execution_plan", _GET_PLAN),
        ("tensors", ctypes.POINTER(Tensor)),
        ("impl", _POINTER),
        ("resize_tensor", _OTHER),
        ("report_error", _REPORT),
        ("add_tensors", _OTHER),
        ("get_node", _GET_NODE),
        ("replace", _REPLACE),
        ("threads", _INT),
        ("rest", _POINTER * 20),
    ]


class Interpreter:
    """The structures of a graph with one op, from tensor 0 to tensor 1."""

    def __init__(self, options: bytes) -> None:
        """Creates them; `options` are those of the op."""
        self.taken = 0
        self.reported: list[str] = []
        self.tensors = (Tensor * 2)(Tensor(_FLOAT), Tensor(_FLOAT))
        self.plan = ctypes.pointer(Indices(1, (0, 0)))
        self.registration = ctypes.pointer(
            Registration(builtin_code=_CUSTOM, custom_name=b"FlexErf", version=1)
        )
        self.node = ctypes.pointer(
            Node(
                inputs=ctypes.pointer(Indices(1, (0, 0))),
                outputs=ctypes.pointer(Indices(1, (1, 0))),
                custom_initial_data=options,
                custom_initial_data_size=len(options),
            )
        )
        self.context = Context(
            tensors_size=len(self.tensors),
            get_execution_plan=_GET_PLAN(self._get_plan),
            tensors=self.tensors,
            resize_tensor=_OTHER(lambda: 1),
            report_error=_REPORT(self._report),
            get_node=_GET_NODE(self._get_node),
            replace=_REPLACE(self._replace),
            threads=1,
        )

    def _get_plan(self, _context: Any, plan: Any) -> int:
        plan[0] = self.plan
        return 0

    def _report(self, _context: Any, _form: bytes, text: bytes) -> None:
        self.reported.append(text.decode())

    def _get_node(self, _context: Any, _index: int, node: Any, registration: Any) -> int:
        node[0], registration[0] = self.node, self.registration
        return 0

    def _replace(self, _context: Any, _registration: Any, nodes: Any, _delegate: Any) -> int:
        self.taken = nodes[0].size
        return 0


class Delegate(ctypes.Structure):
    """The first members of a TfLiteDelegate."""

    _fields_: ClassVar = [
        ("data", _POINTER),
        ("prepare", ctypes.CFUNCTYPE(_INT, ctypes.POINTER(Context), _POINTER)),
    ]


def _no_plan(one: Interpreter) -> None:
    one.plan = ctypes.POINTER(Indices)()


def _plan_size(one: Interpreter) -> None:
    one.plan[0].size = -5


def _node_twice(one: Interpreter) -> None:
    one.plan[0].size = 2


def _negative_node(one: Interpreter) -> None:
    one.plan[0].data[0] = -3


def _no_node(one: Interpreter) -> None:
    one.node = ctypes.POINTER(Node)()


def _builtin_code(one: Interpreter) -> None:
    one.registration[0].builtin_code = 0x7F3A10


def _no_function(one: Interpreter) -> None:
    one.context.replace = _REPLACE()


def _no_tensors(one: Interpreter) -> None:
    one.context.tensors = ctypes.POINTER(Tensor)()


def _no_inputs(one: Interpreter) -> None:
    one.node[0].inputs = ctypes.POINTER(Indices)()


def _input(one: Interpreter) -> None:
    one.node[0].inputs[0].data[0] = 2


def _output(one: Interpreter) -> None:
    """-1 is an optional input, but no output."""
    one.node[0].outputs[0].data[0] = -1


def _type(one: Interpreter) -> None:
    one.tensors[1].type = 0x5500


def _threads(one: Interpreter) -> None:
    one.context.threads = 1025


ALTERATIONS: Mapping[str, Callable[[Interpreter], None]] = {
    "none": lambda _: None,
    "no_plan": _no_plan,
    "plan_size": _plan_size,
    "node_twice": _node_twice,
    "negative_node": _negative_node,
    "no_node": _no_node,
    "builtin_code": _builtin_code,
    "no_function": _no_function,
    "no_tensors": _no_tensors,
    "no_inputs": _no_inputs,
    "input": _input,
    "output": _output,
    "type": _type,
    "threads": _threads,
}


def main(delegate: str, options: str, alteration: str) -> None:
    """Applies the delegate once."""
    interpreter = Interpreter(Path(options).read_bytes())
    ALTERATIONS[alteration](interpreter)
    create = ctypes.CDLL(delegate).tflite_plugin_create_delegate
    create.restype = ctypes.POINTER(Delegate)
    create.argtypes = [_POINTER, _POINTER, ctypes.c_size_t, _POINTER]
    created = create(None, None, 0, None)
    status = created[0].prepare(interpreter.context, ctypes.cast(created, _POINTER))
    print("\n".join(interpreter.reported) if status else f"takes {interpreter.taken}")


if __name__ == "__main__":
    main(*sys.argv[1:])
