"""YAML as settings need it: mappings, lists, strings, whole numbers, true and false; no anchors, aliases or tags.

PyYAML's own loader makes a tree of nodes with two marks each, 200 times the text. Here its parser's events
become values one by one.
"""

import re
from typing import Any

# Five times all the ops and kernels of TensorFlow.
_MOST_VALUES = 50_000
_DEEPEST = 16
# Source: YAML 1.1, as PyYAML's resolver has it.
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("yes", "true", "on"), True),
    **dict.fromkeys(("no", "false", "off"), False),
    **dict.fromkeys(("", "~", "null"), None),
}


_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")


class YamlError(ValueError):
    """The text is no YAML of this kind: says in which line and why."""


def _plain(text: str) -> str | int | bool | None:
    """Returns what a scalar without quotes stands for; other numbers than whole ones stay as they are written."""
    if _INTEGER.fullmatch(text):
        return int(text)
    usual = text in (text.lower(), text.capitalize(), text.upper())
    return _WORDS.get(text.lower(), text) if usual else text


class _Document:
    """Puts values where they belong, event by event."""

    def __init__(self) -> None:
        self.root: list[Any] = []
        self._open: list[list[Any] | dict[str, Any]] = [self.root]
        self._keys: list[str | None] = [None]
        self._left = _MOST_VALUES

    def value(self, value: Any) -> None:
        """Puts a value into the list or mapping that is open; a mapping's first is a key."""
        self._left -= 1
        if self._left < 0:
            raise YamlError(f"more than {_MOST_VALUES} values")
        into, key = self._open[-1], self._keys[-1]
        if isinstance(into, list):
            into.append(value)
        elif key is None:
            if not isinstance(value, str) or value in into:
                what = "twice" if isinstance(value, str) else "as a key: a string was expected"
                raise YamlError(f"{value!r:.40} {what}")
            self._keys[-1] = value
        else:
            into[key] = value
            self._keys[-1] = None

    def begin(self, value: list[Any] | dict[str, Any]) -> None:
        """Opens a list or a mapping."""
        self.value(value)
        if len(self._open) > _DEEPEST:
            raise YamlError(f"nested more than {_DEEPEST} deep")
        self._open.append(value)
        self._keys.append(None)

    def end(self) -> None:
        """Closes what was opened last."""
        self._open.pop()
        self._keys.pop()


def load(text: str) -> Any:
    """Returns the one document in `text`: lists, mappings with strings as keys, strings, numbers, truth values, None.

    Raises YamlError where it is something else.
    """
    import yaml  # only who gives YAML waits for it

    made = _Document()
    line = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            line = event.start_mark.line if event.start_mark else line
            if getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise YamlError("anchors, aliases and tags are not read")
            match event:
                case yaml.ScalarEvent():
                    made.value(_plain(event.value) if event.implicit[0] else event.value)
                case yaml.SequenceStartEvent():
                    made.begin([])
                case yaml.MappingStartEvent():
                    made.begin({})
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    made.end()
    except YamlError as error:
        raise YamlError(f"line {line + 1}: {error}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(f"no YAML: {error}") from None
    if len(made.root) > 1:
        raise YamlError("more than one document")
    return made.root[0] if made.root else None
