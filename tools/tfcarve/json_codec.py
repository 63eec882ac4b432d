"""JSON documents as typed, frozen values: one declaration a document, decoded strictly by msgspec.

A document is a class derived from `JsonDocument`. Decoding checks every value against its declared type, rejects keys
that are not declared, and names the place of the first error (`$.kernels[3].line`). The declarations also give the JSON
Schema of the documents (`msgspec.json.schema`). A document with a version declares it as its tag:
`class Index(JsonDocument, frozen=True, tag_field="version", tag=1)`.
"""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec

from tfcarve.errors import InvalidInput

# Memory of decoded values, in bytes, for each character that starts or separates one. A document may need ten times
# its size and 8 MB in addition: an index of TensorFlow needs less.
_BYTES_PER_MARK = {b"{": 184, b"[": 80, b":": 50, b",": 40, b'"': 28}
_MAX_RATIO, _MAX_EXTRA = 10, 8_000_000


# Without garbage collection: frozen values that come from JSON cannot form cycles.
class JsonDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A JSON object with declared fields. Fields are written in the order of their declaration."""


class _Versioned(msgspec.Struct):
    version: object = None


_T = TypeVar("_T")


def decode(data: bytes, document_type: type[_T], where: str) -> _T:
    """Decodes a JSON document.

    Args:
      data: UTF-8 text; untrusted.
      document_type: the type of the result: a class derived from JsonDocument, or any type that msgspec decodes.
      where: the document's name, for messages.

    Raises:
      InvalidInput: it is no JSON, a value has another type than declared, a key is unknown or missing, or the
        decoded values would take far more memory than the text.
    """
    _require_moderate(data, where)
    return _decode(data, document_type, where)


def decode_version(
    data: bytes, document_type: type[_T], where: str, version: int, remedy: str
) -> _T:
    """Decodes a JSON document that must have a version.

    Args:
      data: UTF-8 text; untrusted.
      document_type: a class derived from JsonDocument.
      where: the document's name, for messages.
      version: the only version that this tfcarve reads.
      remedy: how to get a document of that version, for messages.

    Raises:
      InvalidInput: as `decode`, or the version is missing or different.
    """
    _require_moderate(data, where)
    found = _decode(data, _Versioned, where).version
    if found != version:
        raise InvalidInput(
            f"{where}: version {found!r} is not supported: this tfcarve reads version {version}: {remedy}"
        )
    return _decode(data, document_type, where)


def convert(value: object, document_type: type[_T], where: str) -> _T:
    """Converts a document that a YAML reader returned, as `decode` does.

    Raises:
      InvalidInput: a value has another type than declared, or a key is unknown or missing.
    """
    try:
        return msgspec.convert(value, document_type)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{where}: {error}") from None


def encode(value: object) -> bytes:
    """Encodes a value as indented JSON with a final newline. Equal values give equal bytes."""
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1) + b"\n"


def encode_rows(value: JsonDocument) -> bytes:
    """Encodes a value as JSON with a line for each field, and for each item of a field that is a list."""
    lines = []
    for key, field in msgspec.to_builtins(value).items():
        if isinstance(field, tuple) and field:
            rows = ",\n".join(f" {_compact(row)}" for row in field)
            lines.append(f'"{key}": [\n{rows}\n]')
        else:
            lines.append(f'"{key}": {_compact(field)}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _require_moderate(data: bytes, where: str) -> None:
    needed = sum(cost * data.count(mark) for mark, cost in _BYTES_PER_MARK.items())
    if needed > _MAX_RATIO * len(data) + _MAX_EXTRA:
        raise InvalidInput(
            f"{where}: {len(data):,} bytes: too many small values: damaged, or crafted to exhaust memory"
        )


def _decode(data: bytes, document_type: type[_T], where: str) -> _T:
    try:
        return msgspec.json.decode(data, type=document_type)
    except RecursionError:
        raise InvalidInput(f"{where}: nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{where}: {error}") from None


def decode_plain(data: bytes, where: str) -> object:
    """Decodes a JSON document without a declared type to dicts, lists, strings, numbers, booleans and None.

    It accepts NaN and Infinity, as Python's json module does: programs in Python write them.

    Args:
      data: UTF-8 text; untrusted.
      where: the document's name, for messages.

    Raises:
      InvalidInput: it is no JSON, or the decoded values would take far more memory than the text.
    """
    _require_moderate(data, where)
    try:
        return json.loads(data)
    except RecursionError:
        raise InvalidInput(f"{where}: nested too deeply") from None
    except ValueError as error:
        raise InvalidInput(f"{where}: {error}") from None
