"""Parses the preprocessor's output into raw records, one source at a time.

A raw record holds C++ expressions. `registry.values` evaluates them, because this may need constants from other files.
"""

import re
from collections.abc import Iterator

from tfcarve.json_codec import JsonDocument
from tfcarve.registry import c_api, cpp

# The text in a string literal, and a line number.
_TEXT, _LINE = r'(?:[^"\\\n]|\\.)*+', r"[0-9]{1,9}"
_SOURCE = re.compile(rf'^TFCARVE_SOURCE "({_TEXT})"', re.MULTILINE)
_RECORD = re.compile(
    r"TFCARVE_(?:"
    rf'KERNEL (?P<system>[01]) (?P<kline>{_LINE}) "(?P<kfile>{_TEXT})" "(?P<class>{_TEXT})" '
    rf'|OP (?P<osystem>[01]) (?P<oline>{_LINE}) "(?P<ofile>{_TEXT})" '
    rf'|GRADIENT (?P<gline>{_LINE}) "(?P<gfile>{_TEXT})" '
    r")"
)
_END = " TFCARVE_END"


class RawConstraint(JsonDocument, frozen=True, array_like=True):
    """`.TypeConstraint` or `.AttrConstraint`: the attribute and its allowed values, as expressions."""

    attr: str
    types: tuple[str, ...] = ()
    cpp_types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class RawKernel(JsonDocument, frozen=True, array_like=True, kw_only=True):
    """One kernel registration. All parts except the class text are C++ expressions."""

    file: str
    line: int
    system: bool = False
    clazz: str
    op: str
    device: str
    constraints: tuple[RawConstraint, ...]
    host_memory: tuple[str, ...]
    label: str = ""
    priority: str


class RawOp(JsonDocument, frozen=True, array_like=True, kw_only=True):
    """One op definition: the arguments of Attr, Input, Output and Deprecated, as C++ expressions."""

    file: str
    line: int
    system: bool = False
    name: str
    attrs: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    stateful: bool
    deprecated: tuple[str, ...] = ()


class RawGradient(JsonDocument, frozen=True, array_like=True):
    """One REGISTER_OP_GRADIENT: the op and its gradient function."""

    file: str
    line: int
    op: str
    function: str


class Records(JsonDocument, frozen=True, array_like=True):
    """The registrations in one source."""

    kernels: tuple[RawKernel, ...] = ()
    ops: tuple[RawOp, ...] = ()
    gradients: tuple[RawGradient, ...] = ()


class ParseError(ValueError):
    """A registration that cannot be parsed: file, line and text."""


def _constraint(call: cpp.Call) -> RawConstraint:
    if call.name == "TypeConstraint" and call.template and len(call.arguments) == 1:
        return RawConstraint(call.arguments[0], cpp_types=(call.template,))
    attr, *rest = call.arguments
    allowed: tuple[str, ...] = tuple(rest)
    if len(rest) == 1 and rest[0].startswith("{"):
        allowed, _ = cpp.balanced(rest[0], 0)
    if call.name == "TypeConstraint" or call.template.endswith("DataType"):
        return RawConstraint(attr, types=allowed)
    return RawConstraint(attr, values=allowed)


def kernel(builder: str, clazz: str, file: str, line: int, system: bool) -> RawKernel:
    """Parses a kernel builder, `Name("X").Device(…)…`; raises ParseError if it is something else."""
    try:
        calls, end = cpp.chain(builder)
        if builder[end:].strip():
            raise ValueError(f"unexpected text after the builder: {builder[end:].strip()!r}")
        device, label, priority = "", "", ""
        constraints: list[RawConstraint] = []
        host_memory: list[str] = []
        for call in calls[1:]:
            match call.name:
                case "Device":
                    device = call.arguments[0]
                case "TypeConstraint" | "AttrConstraint":
                    constraints.append(_constraint(call))
                case "HostMemory":
                    host_memory.append(call.arguments[0])
                case "Label":
                    label = call.arguments[0]
                case "Priority":
                    priority = call.arguments[0]
                case "Build":
                    pass
                case _:
                    raise ValueError(f"unknown method .{call.name}()")
        return RawKernel(
            file=file,
            line=line,
            system=system,
            clazz=clazz,
            op=calls[0].arguments[0],
            device=device,
            constraints=tuple(constraints),
            host_memory=tuple(host_memory),
            label=label,
            priority=priority,
        )
    except (ValueError, IndexError) as error:
        raise ParseError(
            f"{file}:{line}: kernel registration cannot be parsed: {error}: {builder[:200]}"
        ) from None


def _op(text: str, place: int, name: str, file: str, line: int, system: bool) -> RawOp:
    attrs: list[str] = []
    inputs: list[str] = []
    outputs: list[str] = []
    stateful = False
    deprecated: tuple[str, ...] = ()
    try:
        while text[place : place + 1].isspace():
            place += 1
        calls: tuple[cpp.Call, ...] = ()
        if text[place : place + 1] == ".":
            calls, _ = cpp.chain(text, place + 1)
        for call in calls:
            match call.name:
                case "Attr":
                    attrs.append(call.arguments[0])
                case "Input":
                    inputs.append(call.arguments[0])
                case "Output":
                    outputs.append(call.arguments[0])
                case "Deprecated":
                    deprecated = (call.arguments[0], call.arguments[1])
                case "SetIsStateful" | "SetDoNotOptimize":
                    stateful = True
                case _:
                    pass  # documentation, shape functions
    except (ValueError, IndexError) as error:
        raise ParseError(f"{file}:{line}: op definition cannot be parsed: {error}") from None
    return RawOp(
        file=file,
        line=line,
        system=system,
        name=name,
        attrs=tuple(attrs),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        stateful=stateful,
        deprecated=deprecated,
    )


def _of_c_api(text: str) -> Iterator[c_api.CKernel | c_api.COp]:
    try:
        yield from c_api.scan(text)
    except (ValueError, IndexError) as error:
        raise ParseError(f"a registration through the C API cannot be parsed: {error}") from None


def _c_kernel(found: c_api.CKernel, file: str) -> RawKernel:
    constraints = (
        RawConstraint(attr, cpp_types=(value,)) if is_cpp else RawConstraint(attr, types=(value,))
        for attr, value, is_cpp in found.constraints
    )
    return RawKernel(
        file=file,
        line=found.line,
        clazz=found.clazz,
        op=found.op,
        device=found.device,
        constraints=tuple(constraints),
        host_memory=found.host_memory,
        priority=found.priority,
    )


def _records(text: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Yields the start of each record, its text, and the position after it."""
    place = 0
    while begin := _RECORD.search(text, place):
        end = text.find(_END, begin.end())
        if end < 0:
            raise ParseError(f"unterminated registration: {begin[0][:200]}")
        place = end + len(_END)
        yield begin, text[begin.end() : end], place


def _parse_source(text: str) -> Records:
    kernels: list[RawKernel] = []
    ops: list[RawOp] = []
    gradients: list[RawGradient] = []

    def path(quoted: str) -> str:
        return cpp.unquote(f'"{quoted}"').removeprefix("./")

    for found, registered, place in _records(text):
        if found["system"]:
            clazz = cpp.unquote(f'"{found["class"]}"')
            kernels.append(
                kernel(
                    registered.strip(),
                    clazz,
                    path(found["kfile"]),
                    int(found["kline"]),
                    found["system"] == "1",
                )
            )
        elif found["osystem"]:
            ops.append(
                _op(
                    text,
                    place,
                    registered,
                    path(found["ofile"]),
                    int(found["oline"]),
                    found["osystem"] == "1",
                )
            )
        else:
            op, _, function = registered.partition(",")
            gradients.append(
                RawGradient(path(found["gfile"]), int(found["gline"]), op.strip(), function.strip())
            )
    for item in _of_c_api(text):
        if isinstance(item, c_api.CKernel):
            kernels.append(_c_kernel(item, path(item.file)))
        else:
            ops.append(
                RawOp(
                    file=path(item.file),
                    line=item.line,
                    name=item.name,
                    attrs=item.attrs,
                    inputs=item.inputs,
                    outputs=item.outputs,
                    stateful=item.stateful,
                )
            )
    return Records(tuple(kernels), tuple(ops), tuple(gradients))


def parse(output: str) -> dict[str, Records]:
    """Parses the preprocessor's output for one or more sources.

    Returns:
      The records of each source, by its path.

    Raises:
      ParseError: a registration cannot be parsed.
    """
    found: dict[str, Records] = {}
    mark = _SOURCE.search(output)
    while mark:
        following = _SOURCE.search(output, mark.end())
        part = output[mark.end() : following.start() if following else len(output)]
        found[cpp.unquote(f'"{mark.group(1)}"')] = _parse_source(part)
        mark = following
    return found
