"""Registrations made through TensorFlow's C API, read from preprocessed text.

Source: tensorflow/c/kernels.h (TF_NewKernelBuilder, TF_KernelBuilder_…,
TF_RegisterKernelBuilder), tensorflow/c/ops.h (TF_NewOpDefinitionBuilder, …), used
by tensorflow/c/kernels/*_op.cc and tensorflow/c/kernels/ops/*.cc.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.registry import cpp

_MARK = re.compile(r'TFCARVE_C_(KERNEL|OP) (\d+) "((?:[^"\\]|\\.)*)" TFCARVE_END \w+\s*(?=\()')
_CALL = re.compile(
    r"\b(TF_(?:KernelBuilder_|RegisterKernelBuilder|OpDefinitionBuilder|RegisterOpDefinition)\w*)\s*(?=\()"
)
_FUNCTION = re.compile(
    r"(?:template\s*<\s*(?:typename|class)\s+(\w+)\s*>\s*)?(?:static\s+|inline\s+)*void\s+(\w+)\s*\(\)\s*(?=\{)"
)
_TO_ENUM = re.compile(r"DataTypeToEnum\s*<(.+)>\s*::\s*(?:v\s*\(\s*\)|value)")
_CAST = re.compile(r"static_cast\s*<\s*TF_DataType\s*>\s*\(")


@dataclass(frozen=True, slots=True)
class CKernel:
    """One kernel; constraints are (attribute, type expression, whether it is a C++ type)."""

    file: str
    line: int
    clazz: str
    op: str
    device: str
    constraints: tuple[tuple[str, str, bool], ...]
    host_memory: tuple[str, ...]
    priority: str


@dataclass(frozen=True, slots=True)
class COp:
    """One op definition."""

    file: str
    line: int
    name: str
    attrs: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    stateful: bool


def _calls(text: str, place: int, last: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the C API calls from `place` up to and with the first one that starts with `last`."""
    for match in _CALL.finditer(text, place):
        arguments, _ = cpp.balanced(text, match.end())
        yield match.group(1), arguments
        if match.group(1).startswith(last):
            return


def _instances(text: str, place: int) -> tuple[str, list[str]]:
    """Returns the template parameter of the function around `place` and the types it is called with."""
    for match in _FUNCTION.finditer(text):
        _, end = cpp.balanced(text, match.end())
        if match.start() < place < end:
            parameter, name = match.groups()
            if not parameter:
                return "", [""]
            calls = re.compile(rf"\b{re.escape(name)}\s*<(.+?)>\s*\(\s*\)")
            return parameter, [call.group(1).strip() for call in calls.finditer(text)]
    return "", [""]


def _type(expression: str, parameter: str, instance: str) -> tuple[str, bool]:
    cast = _CAST.search(expression)
    if cast:
        (expression,), _ = cpp.balanced(expression, cast.end() - 1)
    to_enum = _TO_ENUM.search(expression)
    if not to_enum:
        return expression, False
    name = to_enum.group(1).strip()
    return (instance if name == parameter else name), True


def _kernels(text: str, place: int, file: str, line: int) -> Iterator[CKernel]:
    made, end = cpp.balanced(text, place)
    parameter, instances = _instances(text, place)
    calls = list(_calls(text, end, "TF_RegisterKernelBuilder"))
    for instance in instances:
        constraints: list[tuple[str, str, bool]] = []
        host_memory: list[str] = []
        priority, clazz = "", ""
        for name, arguments in calls:
            match name:
                case "TF_KernelBuilder_TypeConstraint":
                    constraints.append((arguments[1], *_type(arguments[2], parameter, instance)))
                case "TF_KernelBuilder_HostMemory":
                    host_memory.append(arguments[1])
                case "TF_KernelBuilder_Priority":
                    priority = arguments[1]
                case "TF_RegisterKernelBuilder":
                    clazz = cpp.literal(arguments[0]) or ""
                case _:
                    pass
        if clazz:
            yield CKernel(
                file,
                line,
                clazz,
                made[0],
                made[1],
                tuple(constraints),
                tuple(host_memory),
                priority,
            )


def _op(text: str, place: int, file: str, line: int) -> COp:
    made, end = cpp.balanced(text, place)
    found: dict[str, list[str]] = {"Attr": [], "Input": [], "Output": []}
    stateful = False
    for name, arguments in _calls(text, end, "TF_RegisterOpDefinition"):
        kind = name.removeprefix("TF_OpDefinitionBuilderAdd")
        if kind in found:
            found[kind].append(arguments[1])
        elif name == "TF_OpDefinitionBuilderSetIsStateful":
            stateful = arguments[1] == "true"
    return COp(
        file,
        line,
        made[0],
        tuple(found["Attr"]),
        tuple(found["Input"]),
        tuple(found["Output"]),
        stateful,
    )


def scan(text: str) -> Iterator[CKernel | COp]:
    """Yields the kernels and ops that the preprocessed `text` registers through the C API."""
    for mark in _MARK.finditer(text):
        kind, line, file = mark.groups()
        arguments, _ = cpp.balanced(text, mark.end())
        if not arguments or cpp.literal(arguments[0]) is None:
            continue  # the C API's own definition of the function
        if kind == "KERNEL":
            yield from _kernels(text, mark.end(), file, int(line))
        else:
            yield _op(text, mark.end(), file, int(line))
