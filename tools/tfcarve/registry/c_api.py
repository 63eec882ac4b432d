"""Parses registrations through TensorFlow's C API in preprocessed text.

Source: tensorflow/c/kernels.h (TF_NewKernelBuilder, TF_KernelBuilder_…,
TF_RegisterKernelBuilder), tensorflow/c/ops.h (TF_NewOpDefinitionBuilder, …). tensorflow/c/kernels/*_op.cc and
tensorflow/c/kernels/ops/*.cc use it.
"""

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tfcarve.registry import cpp

_MARK = re.compile(
    r'TFCARVE_C_(KERNEL|OP) ([0-9]{1,9}) "((?:[^"\\\n]|\\.)*+)" TFCARVE_END \w+\s*(?=\()'
)
_CALL = re.compile(
    r"\b(TF_(?:KernelBuilder_|RegisterKernelBuilder|OpDefinitionBuilder|RegisterOpDefinition)\w*)\s*(?=\()"
)
_FUNCTION = re.compile(
    r"(?:template\s*<\s*(?:typename|class)\s+(\w+)\s*>\s*)?(?:static\s+|inline\s+){0,2}void\s+(\w+)\s*\(\)\s*(?=\{)"
)
_TEMPLATE = re.compile(r"\b(\w+)\s*<")
_CALLED = re.compile(r"([^;(){}]{1,200}?)>\s*\(\s*\)")
_TO_ENUM = re.compile(r"DataTypeToEnum\s*<(.{1,200}?)>\s*::\s*(?:v\s*\(\s*\)|value)", re.DOTALL)
_CAST = re.compile(r"static_cast\s*<\s*TF_DataType\s*>\s*\(")
# Limit of functions, kernels and constraints in one source, which templates multiply.
_MAX_ITEMS = 10_000


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


@dataclass(frozen=True, slots=True)
class _Function:
    """A function without parameters: its range, its template parameter, and the types that it is called with."""

    begin: int
    end: int
    parameter: str
    types: Sequence[str]


def _calls(text: str, place: int, until: int, last: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the C API calls from `place` up to and including the first one that starts with `last`."""
    while match := _CALL.search(text, place, until):
        arguments, place = cpp.balanced(text, match.end())
        if place > until:
            raise ValueError(f"a registration inside a call: {match[1]}")
        yield match.group(1), arguments
        if match.group(1).startswith(last):
            return


def _functions(text: str) -> list[_Function]:
    """Returns the functions without parameters, in order; they do not overlap."""
    found: list[tuple[int, int, str, str]] = []
    place = 0
    while match := _FUNCTION.search(text, place):
        _, place = cpp.balanced(text, match.end())
        found.append((match.start(), place, match[1] or "", match[2]))
        if len(found) > _MAX_ITEMS:
            raise ValueError(f"more than {_MAX_ITEMS} functions")
    types: dict[str, list[str]] = {name: [] for _, _, parameter, name in found if parameter}
    for used in _TEMPLATE.finditer(text):
        called = _CALLED.match(text, used.end()) if used[1] in types else None
        if called:
            types[used[1]].append(called[1].strip())
    return [
        _Function(begin, end, parameter, types[name] if parameter else ("",))
        for begin, end, parameter, name in found
    ]


def _enclosing(functions: Sequence[_Function], place: int) -> _Function:
    """Returns the function that contains `place`."""
    after = bisect.bisect_left(functions, place, key=lambda function: function.begin)
    if after and place < functions[after - 1].end:
        return functions[after - 1]
    return _Function(place, place, "", ("",))


def _type(expression: str) -> tuple[str, bool]:
    """Returns a data type's expression, and whether it is a C++ type."""
    cast = _CAST.search(expression)
    if cast:
        (expression,), _ = cpp.balanced(expression, cast.end() - 1)
    to_enum = _TO_ENUM.search(expression)
    return (to_enum.group(1).strip(), True) if to_enum else (expression, False)


def _kernels(
    created: Sequence[str],
    calls: Iterable[tuple[str, tuple[str, ...]]],
    enclosing: _Function,
    file: str,
    line: int,
) -> Iterator[CKernel]:
    constraints: list[tuple[str, str, bool]] = []
    host_memory: list[str] = []
    priority, clazz = "", ""
    for name, arguments in calls:
        match name:
            case "TF_KernelBuilder_TypeConstraint":
                constraints.append((arguments[1], *_type(arguments[2])))
            case "TF_KernelBuilder_HostMemory":
                host_memory.append(arguments[1])
            case "TF_KernelBuilder_Priority":
                priority = arguments[1]
            case "TF_RegisterKernelBuilder":
                clazz = cpp.literal(arguments[0]) or ""
            case _:
                pass
    for instance in enclosing.types if clazz else ():
        yield CKernel(
            file,
            line,
            clazz,
            created[0],
            created[1],
            tuple(
                (attr, instance if is_cpp and type_ == enclosing.parameter else type_, is_cpp)
                for attr, type_, is_cpp in constraints
            ),
            tuple(host_memory),
            priority,
        )


def _op(
    created: Sequence[str], calls: Iterable[tuple[str, tuple[str, ...]]], file: str, line: int
) -> COp:
    found: dict[str, list[str]] = {"Attr": [], "Input": [], "Output": []}
    stateful = False
    for name, arguments in calls:
        kind = name.removeprefix("TF_OpDefinitionBuilderAdd")
        if kind in found:
            found[kind].append(arguments[1])
        elif name == "TF_OpDefinitionBuilderSetIsStateful":
            stateful = arguments[1] == "true"
    return COp(
        file,
        line,
        created[0],
        tuple(found["Attr"]),
        tuple(found["Input"]),
        tuple(found["Output"]),
        stateful,
    )


def _marks(text: str) -> Iterator[tuple[re.Match[str], tuple[str, ...], int, int]]:
    """Yields for each created builder: the mark, the arguments, the position after them, the position of the next mark."""
    mark = _MARK.search(text)
    while mark:
        arguments, end = cpp.balanced(text, mark.end())
        following = _MARK.search(text, end)
        yield mark, arguments, end, following.start() if following else len(text)
        mark = following


def scan(text: str) -> Iterator[CKernel | COp]:
    """Yields the kernels and ops that the preprocessed `text` registers through the C API.

    Raises:
      ValueError: a registration cannot be parsed.
      IndexError: a call has too few arguments.
    """
    functions: list[_Function] | None = None
    left = _MAX_ITEMS
    for mark, arguments, end, until in _marks(text):
        kind, line, file = mark.groups()
        if not arguments or cpp.literal(arguments[0]) is None:
            continue  # the definition of the function
        if kind == "OP":
            calls = _calls(text, end, until, "TF_RegisterOpDefinition")
            yield _op(arguments, calls, file, int(line))
            continue
        if functions is None:
            functions = _functions(text)
        calls = _calls(text, end, until, "TF_RegisterKernelBuilder")
        for kernel in _kernels(
            arguments, calls, _enclosing(functions, mark.start()), file, int(line)
        ):
            left -= 1 + len(kernel.constraints) + len(kernel.host_memory)
            if left < 0:
                raise ValueError(f"more than {_MAX_ITEMS} kernels")
            yield kernel
