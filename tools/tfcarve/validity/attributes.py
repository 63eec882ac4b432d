"""Checks the attributes of a node against the definition of its op. Pure.

Attributes that the definition does not have are ignored: TensorFlow ignores them too.

Source: ValidateNodeDef in tensorflow/core/framework/node_def_util.cc, ValidateAttrValue in op_def_util.cc and
AttrValueHasType in attr_value_util.cc.
"""

from collections.abc import Iterator, Mapping

from tfcarve import dtypes
from tfcarve.models.node_use import AttrValue
from tfcarve.op_definition import Attr

# A function's caller sets a placeholder. Lists of kind "long" are not read.
_UNKNOWN = frozenset(("placeholder", "long"))
# Old graphs have empty lists without a value.
_EMPTY = frozenset(("list()", "unset"))
_MAX_SHOWN = 60


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _items(value: AttrValue) -> tuple[object, ...]:
    return value.value if isinstance(value.value, tuple) else (value.value,)


def _shown(item: object) -> str:
    text = repr(item) if isinstance(item, str) and item not in dtypes.NUMBER_OF else str(item)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _fault(value: AttrValue, attr: Attr) -> str:
    """Returns why a value is invalid for an attribute, or ""."""
    is_list = attr.type.startswith("list(")
    is_empty = is_list and value.kind in _EMPTY
    if value.kind == "unset" and not is_empty:
        return f"has no value, and must be {_article(attr.type)}"
    if value.kind != attr.type and not is_empty:
        return f"is {_article(value.kind)}, and must be {_article(attr.type)}"
    if attr.minimum is not None:
        size = value.value if not is_list else 0 if is_empty else len(value.value)
        if size < attr.minimum:
            what = "has a length of" if is_list else "is"
            return f"{what} {size}, and must {'have' if is_list else 'be'} at least {attr.minimum}"
    if is_empty:
        return ""
    if attr.type in ("type", "list(type)"):
        for name in _items(value):
            if name not in dtypes.NUMBER_OF:
                return f"is {_shown(name)}, which is not a type of an attribute"
    if attr.allowed:
        for item in _items(value):
            if item not in attr.allowed:
                return f"is {_shown(item)}, and must be one of {', '.join(attr.allowed)}"
    return ""


def faults(attrs: Mapping[str, AttrValue], known: Mapping[str, Attr]) -> Iterator[tuple[str, str]]:
    """Yields each attribute that is missing or invalid, and its fault as text.

    Args:
      attrs: the attributes of a node.
      known: the attributes in the definition of the node's op.
    """
    for name, attr in known.items():
        value = attrs.get(name)
        if value is None:
            if attr.default is None:
                yield name, "is missing"
        elif value.kind not in _UNKNOWN:
            fault = _fault(value, attr)
            if fault:
                yield name, fault
