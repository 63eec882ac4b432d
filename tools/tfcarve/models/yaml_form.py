"""Reads the subset of YAML that settings need: mappings, lists, strings, integers, booleans, null.

Anchors, aliases and tags are refused. PyYAML's loader builds a tree that takes 200 times the text's memory; this reader
builds values directly from the events of PyYAML's parser.
"""

import re
from typing import Any

# Five times the number of all ops and kernel classes of TensorFlow.
_MAX_VALUES = 50_000
_MAX_DEPTH = 16
# Source: YAML 1.1, as implemented by PyYAML's resolver.
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("yes", "true", "on"), True),
    **dict.fromkeys(("no", "false", "off"), False),
    **dict.fromkeys(("", "~", "null"), None),
}


_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")


class YamlError(ValueError):
    """The input is not in this subset of YAML. The text of the error states the line and the reason."""


def _plain(text: str) -> str | int | bool | None:
    """Returns the value of an unquoted scalar; numbers with a fraction stay strings."""
    if _INTEGER.fullmatch(text):
        return int(text)
    is_word = text in (text.lower(), text.capitalize(), text.upper())
    return _WORDS.get(text.lower(), text) if is_word else text


class _Document:
    """Builds a document from the parser's events."""

    def __init__(self) -> None:
        self.root: list[Any] = []
        self._open: list[list[Any] | dict[str, Any]] = [self.root]
        self._keys: list[str | None] = [None]
        self._left = _MAX_VALUES

    def value(self, value: Any) -> None:
        """Adds a value to the innermost open list or mapping, where keys and values alternate."""
        self._left -= 1
        if self._left < 0:
            raise YamlError(f"more than {_MAX_VALUES} values")
        into, key = self._open[-1], self._keys[-1]
        if isinstance(into, list):
            into.append(value)
        elif key is None:
            if not isinstance(value, str) or value in into:
                what = "duplicate key" if isinstance(value, str) else "key is not a string"
                raise YamlError(f"{what}: {value!r:.40}")
            self._keys[-1] = value
        else:
            into[key] = value
            self._keys[-1] = None

    def begin(self, value: list[Any] | dict[str, Any]) -> None:
        """Opens a list or a mapping."""
        self.value(value)
        if len(self._open) > _MAX_DEPTH:
            raise YamlError(f"nested more than {_MAX_DEPTH} levels deep")
        self._open.append(value)
        self._keys.append(None)

    def end(self) -> None:
        """Closes the innermost list or mapping."""
        self._open.pop()
        self._keys.pop()


def load(text: str) -> Any:
    """Returns the only document in `text`: lists, dicts with string keys, strings, integers, booleans, None.

    Raises:
      YamlError: it is not such a document.
    """
    import yaml  # slow to import, and rarely needed

    document = _Document()
    line = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            line = event.start_mark.line if event.start_mark else line
            if getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise YamlError("anchors, aliases and tags are not supported")
            match event:
                case yaml.ScalarEvent():
                    document.value(_plain(event.value) if event.implicit[0] else event.value)
                case yaml.SequenceStartEvent():
                    document.begin([])
                case yaml.MappingStartEvent():
                    document.begin({})
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    document.end()
    except YamlError as error:
        raise YamlError(f"line {line + 1}: {error}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(f"invalid YAML: {error}") from None
    if len(document.root) > 1:
        raise YamlError("more than one document")
    return document.root[0] if document.root else None
