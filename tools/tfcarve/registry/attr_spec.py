"""Parses the specifications in op definitions: `Attr("T: {float, half} = DT_FLOAT")`. Pure.

Source: tensorflow/core/framework/op_def_builder.cc (FinalizeAttr, FinalizeInputOrOutput).
"""

import math
import re
from collections.abc import Mapping

from tfcarve import dtypes
from tfcarve.op_definition import Argument, Attr, Scalar, Value
from tfcarve.registry import cpp

TypeSets = Mapping[str, tuple[str, ...]]

# The longest in TensorFlow has a few hundred characters.
_MAX_LENGTH = 65_536
_NAME = re.compile(r"\s*([A-Za-z]\w*)\s*:\s*")
_SIMPLE = re.compile(r"(string|int|float|bool|type|shape|tensor|func|any)")
_COMPOUND = re.compile(
    r"(numbertype|numerictype|quantizedtype|realnumbertype|realnumberictype|realnumerictype)"
)
# At most as many digits as a 64-bit number has.
_MINIMUM = re.compile(r"\s*>=\s*(-?\d{1,19})\s*")
_ARGUMENT = re.compile(
    r"\s*([a-z]\w*)\s*:\s*(Ref\s*\(\s*)?([A-Za-z]\w*)\s*(?:\*\s*([A-Za-z]\w*)\s*)?(\))?\s*$"
)
_SETS = {
    "numbertype": "NumberTypes",
    "numerictype": "NumberTypes",
    "quantizedtype": "QuantizedTypes",
    "realnumberictype": "RealNumberTypes",
    "realnumbertype": "RealNumberTypes",
    "realnumerictype": "RealNumberTypes",
}


class SpecError(ValueError):
    """A specification that cannot be parsed."""


def _quoted(text: str, place: int) -> tuple[str, int]:
    quote = text[place]
    end = place + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise SpecError(f"unterminated string: {text[place:]!r}")
    return cpp.unescape(text[place + 1 : end]), end + 1


def _set(word: str, sets: TypeSets) -> tuple[str, ...]:
    found = sets.get(_SETS[word])
    if found is None:
        raise SpecError(f"the tree does not define {word!r}")
    return found


def _allowed(text: str, place: int, sets: TypeSets) -> tuple[str, tuple[str, ...], int]:
    """Parses `a, b, … }`; returns the attribute's type, the values, the position after the brace."""
    values: list[str] = []
    kind = "type"
    while True:
        while text[place : place + 1].isspace():
            place += 1
        if text[place : place + 1] == "}" and values:
            return kind, tuple(values), place + 1
        if text[place : place + 1] in ("'", '"'):
            kind = "string"
            value, place = _quoted(text, place)
            values.append(value)
        else:
            word = re.compile(r"[a-z0-9_]+").match(text, place)
            if not word:
                raise SpecError(f"expected a type at {text[place:]!r}")
            place = word.end()
            if word.group() in _SETS:
                values += _set(word.group(), sets)
            else:
                name = dtypes.from_spec(word.group())
                if name is None:
                    raise SpecError(f"unknown type {word.group()!r}")
                values.append(name)
        while text[place : place + 1].isspace():
            place += 1
        if text[place : place + 1] == ",":
            place += 1
        elif text[place : place + 1] != "}":
            raise SpecError(f"expected ',' or '}}' at {text[place:]!r}")


def _scalar(kind: str, text: str) -> Scalar:
    text = text.strip()
    match kind:
        case "string":
            if text[:1] not in ("'", '"'):
                raise SpecError(f"expected a string: {text!r}")
            return _quoted(text, 0)[0]
        case "int":
            return int(text)
        case "float":
            number = float(text if text.lower().endswith("inf") else text.lower().removesuffix("f"))
            return number if math.isfinite(number) else text  # JSON has no infinity
        case "bool":
            if text.lower() not in ("true", "false"):
                raise SpecError(f"expected true or false: {text!r}")
            return text.lower() == "true"
        case "type":
            name = dtypes.from_enum(text)
            if name is None:
                raise SpecError(f"unknown type {text!r}")
            return name
        case _:
            return text  # shapes, tensors and functions: not parsed


def _default(kind: str, text: str) -> Value:
    text = text.strip()
    if not kind.startswith("list("):
        return _scalar(kind, text)
    inner = kind[len("list(") : -1]
    if not (text.startswith("[") and text.endswith("]")):
        raise SpecError(f"expected a list in brackets: {text!r}")
    if inner in ("shape", "tensor", "func"):
        return text
    items = (
        cpp.balanced(text, 0)[0]
        if '"' in text
        else tuple(p for p in text[1:-1].split(",") if p.strip())
    )
    return tuple(_scalar(inner, item) for item in items)


def attr(spec: str, sets: TypeSets) -> tuple[str, Attr]:
    """Parses the specification of an attribute.

    Args:
      spec: the argument of Attr().
      sets: NumberTypes, QuantizedTypes, RealNumberTypes of the tree.

    Returns:
      The attribute's name and the attribute.

    Raises:
      SpecError: the specification cannot be parsed.
    """
    if len(spec) > _MAX_LENGTH:
        raise SpecError(
            f"{len(spec)} characters, at most {_MAX_LENGTH} are allowed: {spec[:60]!r}…"
        )
    name = _NAME.match(spec)
    if not name:
        raise SpecError(f"expected '<name>:': {spec!r}")
    place = name.end()
    is_list = re.compile(r"list\s*\(\s*").match(spec, place)
    if is_list:
        place = is_list.end()
    allowed: tuple[str, ...] = ()
    if simple := _SIMPLE.match(spec, place):
        kind, place = simple.group(1), simple.end()
    elif compound := _COMPOUND.match(spec, place):
        kind, place = "type", compound.end()
        allowed = _set(compound.group(1), sets)
    elif spec[place : place + 1] == "{":
        kind, allowed, place = _allowed(spec, place + 1, sets)
    else:
        raise SpecError(f"expected a type at {spec[place:]!r}")
    rest = spec[place:].lstrip()
    if is_list:
        if not rest.startswith(")"):
            raise SpecError(f"expected ')' at {rest!r}")
        rest = rest[1:].lstrip()
        kind = f"list({kind})"
    minimum = None
    if limit := _MINIMUM.match(rest):
        minimum, rest = int(limit.group(1)), rest[limit.end() :]
    if rest.startswith("="):
        try:
            default = _default(kind, rest[1:])
        except ValueError as error:
            raise SpecError(f"{rest[1:].strip()!r} is not a valid default: {error}") from None
        return name.group(1), Attr(kind, default, tuple(dict.fromkeys(allowed)), minimum)
    if rest.strip():
        raise SpecError(f"unexpected text: {rest!r}")
    return name.group(1), Attr(kind, None, tuple(dict.fromkeys(allowed)), minimum)


def argument(spec: str, attrs: Mapping[str, Attr]) -> Argument:
    """Parses the specification of an input or output; raises SpecError if it cannot be parsed."""
    match = _ARGUMENT.match(spec)
    if not match:
        raise SpecError(f"expected 'name: type': {spec!r}")
    name, ref, first, second, closing = match.groups()
    if bool(ref) != bool(closing):
        raise SpecError(f"brackets of Ref(…) do not match: {spec!r}")
    number, kind = (first, second) if second else ("", first)
    fixed = dtypes.from_spec(kind)
    if fixed:
        return Argument(name, fixed, "", number, "", bool(ref))
    if kind not in attrs:
        raise SpecError(f"unknown attribute {kind!r}: {spec!r}")
    if attrs[kind].type == "list(type)":
        return Argument(name, "", "", number, kind, bool(ref))
    return Argument(name, "", kind, number, "", bool(ref))
