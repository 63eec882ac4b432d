"""Says where a JSON document is not of the form that its reader expects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NAMES: Mapping[type, str] = {str: "a string", int: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Each:
    """An object with any keys, each value of the form `of`."""

    of: Any


class FormError(ValueError):
    """The document is of another form: says where, what was expected and what is there."""


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
