"""JSON that others wrote: read without taking much memory, and held against the form that is expected."""

import contextlib
import gc
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_NAMES: Mapping[type, str] = {str: "a string", int: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Each:
    """An object with any keys, each value of the form `of`."""

    of: Any


class FormError(ValueError):
    """The document is of another form: says where, what was expected and what is there."""


# What values take in memory at most beside their characters, by a mark that each of them has in the text.
_WEIGHTS: Mapping[str, int] = {"{": 184, "[": 80, ":": 50, ",": 40, '"': 28}
# So much may a document weigh, in times its size and beside. An index of TensorFlow weighs eleven times its 4 MB.
_TIMES, _SPARE = 10, 8_000_000


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """What JSON makes has no cycles: looking for some takes half as long as reading it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def loads(text: str | bytes) -> Any:
    """Returns what json.loads does, unless the text is of so many tiny values that they would take far more memory.

    Raises ValueError (FormError is one) where it is no JSON or made to be costly.
    """
    weight = sum(
        value * (text.count(mark) if isinstance(text, str) else text.count(mark.encode()))
        for mark, value in _WEIGHTS.items()
    )
    if weight > _TIMES * len(text) + _SPARE:
        raise FormError(f"{len(text)} characters of tiny values: damaged or made to be costly")
    try:
        with _no_collection():
            return json.loads(text)
    except RecursionError:
        raise FormError("nested too deep") from None


def check(value: Any, form: Any, where: str) -> None:
    """Raises FormError where `value` is not of `form`.

    Args:
      value: what json.loads gave.
      form: str, int or bool; a list with the form of its items; a mapping of keys to forms (others may be
        there, and none has to be); Each; None for anything.
      where: the document's or the value's name, for messages.
    """
    if form is None:
        return
    if isinstance(form, Each | Mapping):
        if not isinstance(value, dict):
            raise FormError(f"{where}: an object was expected, not {value!r:.40}")
        for key, item in value.items():
            wanted = form.of if isinstance(form, Each) else form.get(key)
            check(item, wanted, f"{where}: {key!r:.40}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise FormError(f"{where}: a list was expected, not {value!r:.40}")
        for number, item in enumerate(value):
            check(item, form[0], f"{where}[{number}]")
    elif not isinstance(value, form) or isinstance(value, bool) != (form is bool):
        raise FormError(f"{where}: {_NAMES[form]} was expected, not {value!r:.40}")
