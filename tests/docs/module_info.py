"""Reads what Bazel's starlark_doc_extract writes: a serialized stardoc_output.ModuleInfo.

Source of the field numbers: src/main/protobuf/stardoc_output.proto of Bazel 7.7.1.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tfcarve.models import wire


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function or of a tag; a field of a provider has only the first two.

    Attributes:
        name: its name.
        doc: its documentation.
        default: the default value as Starlark text, "" if there is none.
        mandatory: whether a caller has to pass it.
    """

    name: str
    doc: str
    default: str = ""
    mandatory: bool = False


@dataclass(frozen=True)
class Symbol:
    """A function, a provider, or a tag of a module extension.

    Attributes:
        name: its name.
        doc: its documentation.
        parameters: parameters of a function or a tag, fields of a provider.
        tags: the tags of a module extension.
    """

    name: str
    doc: str
    parameters: tuple[Parameter, ...] = ()
    tags: tuple[Symbol, ...] = ()


@dataclass(frozen=True)
class Module:
    """What a .bzl file exports.

    Attributes:
        doc: the docstring of the file.
        functions: macros and functions.
        providers: providers.
        extensions: module extensions.
    """

    doc: str
    functions: tuple[Symbol, ...]
    providers: tuple[Symbol, ...]
    extensions: tuple[Symbol, ...]


class _Message:
    """The fields of one message, by number, in their order."""

    def __init__(self, data: bytes) -> None:
        self._fields: dict[int, list[bytes | int]] = defaultdict(list)
        for number, kind, first, end in wire.fields(data, 0, len(data)):
            self._fields[number].append(data[first:end] if kind == wire.BYTES else first)

    def text(self, number: int) -> str:
        values = self._fields.get(number, [b""])
        return values[-1].decode() if isinstance(values[-1], bytes) else ""

    def flag(self, number: int) -> bool:
        return bool(self._fields.get(number, [0])[-1])

    def messages(self, number: int) -> list[_Message]:
        return [_Message(value) for value in self._fields[number] if isinstance(value, bytes)]


def _parameter(message: _Message) -> Parameter:
    """FunctionParamInfo."""
    return Parameter(message.text(1), message.text(2), message.text(3), message.flag(4))


def _field(message: _Message) -> Parameter:
    """ProviderFieldInfo."""
    return Parameter(message.text(1), message.text(2))


def _attribute(message: _Message) -> Parameter:
    """AttributeInfo."""
    return Parameter(message.text(1), message.text(2), message.text(6), message.flag(4))


def _function(message: _Message) -> Symbol:
    """StarlarkFunctionInfo."""
    return Symbol(message.text(1), message.text(3), tuple(map(_parameter, message.messages(2))))


def _provider(message: _Message) -> Symbol:
    """ProviderInfo."""
    return Symbol(message.text(1), message.text(2), tuple(map(_field, message.messages(3))))


def _tag(message: _Message) -> Symbol:
    """ModuleExtensionTagClassInfo."""
    return Symbol(message.text(1), message.text(2), tuple(map(_attribute, message.messages(3))))


def _extension(message: _Message) -> Symbol:
    """ModuleExtensionInfo."""
    tags = tuple(map(_tag, message.messages(3)))
    return Symbol(message.text(1), message.text(2), tags=tags)


def parse(data: bytes) -> Module:
    """Parses a serialized ModuleInfo.

    Raises:
        wire.WireError: the bytes are not a message.
    """
    message = _Message(data)
    return Module(
        doc=message.text(5),
        functions=tuple(map(_function, message.messages(3))),
        providers=tuple(map(_provider, message.messages(2))),
        extensions=tuple(map(_extension, message.messages(7))),
    )
