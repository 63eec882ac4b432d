"""JSON documents as typed, frozen values: one declaration a document, decoded strictly by msgspec.

A document is a class derived from `Form`. Decoding checks every value against its declared type, rejects keys that
are not declared, and names the place of the first error (`$.kernels[3].line`). The same declarations give the JSON
Schema of the documents (`msgspec.json.schema`).
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from tfcarve.errors import InvalidInput

# Memory of decoded values, in bytes, for each character that starts or separates one. A document may need ten times
# its size and 8 MB in addition: an index of TensorFlow needs less.
_BYTES_PER_MARK = {b"{": 184, b"[": 80, b":": 50, b",": 40, b'"': 28}
_MAX_RATIO, _MAX_EXTRA = 10, 8_000_000


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A JSON object with declared fields. Fields are written in the order of their declaration."""


_T = TypeVar("_T")


def decode(data: bytes, form: type[_T], where: str) -> _T:
    """Decodes a JSON document.

    Args:
      data: UTF-8 text; untrusted.
      form: what to decode to: a Form, or any type that msgspec decodes.
      where: the document's name, for messages.

    Raises:
      InvalidInput: it is no JSON, a value has another type than declared, a key is unknown or missing, or the
        decoded values would take far more memory than the text.
    """
    needed = sum(cost * data.count(mark) for mark, cost in _BYTES_PER_MARK.items())
    if needed > _MAX_RATIO * len(data) + _MAX_EXTRA:
        raise InvalidInput(
            f"{where}: {len(data):,} bytes of very small values: damaged, or made to exhaust memory"
        )
    try:
        return msgspec.json.decode(data, type=form)
    except RecursionError:
        raise InvalidInput(f"{where}: nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{where}: {error}") from None


def encode(value: object) -> bytes:
    """Encodes a value as indented JSON with a final newline: the same bytes for the same value."""
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1) + b"\n"
