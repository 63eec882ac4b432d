"""Which kernel class of a source a symbol is of, by the class's own name in it."""

import functools
import re
from collections.abc import Sequence

# How demangled names write what TensorFlow's registrations write in other words.
_SAME = {
    "CPUDevice": "ThreadPoolDevice",
    "int8_t": "signed char", "int8": "signed char",
    "uint8_t": "unsigned char", "uint8": "unsigned char",
    "int16_t": "short", "int16": "short",
    "uint16_t": "unsigned short", "uint16": "unsigned short",
    "int32_t": "int", "int32": "int",
    "uint32_t": "unsigned int", "uint32": "unsigned int",
    "int64_t": "long", "int64": "long", "long long": "long",
    "uint64_t": "unsigned long", "uint64": "unsigned long", "unsigned long long": "unsigned long",
    "tstring": "TString",
    "complex64": "complex<float>", "complex128": "complex<double>",
}  # fmt: skip
_WORDS = re.compile(r"\bunsigned long long\b|\blong long\b|\b\w+\b")
# Namespaces are dropped, classes are kept: the style guide writes them in other cases.
_QUALIFIERS = re.compile(r"\(anonymous namespace\)::|\b(?:Eigen|[a-z]\w*)::")
_WORD = re.compile(r"[A-Za-z]\w*")
_TAGS = re.compile(r"\[abi:\w+\]")


def normal(name: str) -> str:
    """Returns a C++ name without spaces and namespaces, its types written in one way."""
    bare = _QUALIFIERS.sub("", _TAGS.sub("", name))
    return _WORDS.sub(lambda word: _SAME.get(word[0], word[0]), bare).replace(" ", "")


def class_of(symbol: str, classes: Sequence[str]) -> str:
    """Returns which of `classes`, all of one source, a symbol is of; "" where it does not tell.

    A source of one class is all of that class. Arguments that have defaults are in a symbol's name but
    not in a registration's: what follows the last one given is left open. A symbol that names no class,
    as the functors do, is of the one class whose own arguments it has.

    Args:
      symbol: demangled.
      classes: as the registrations write them.
    """
    if len(classes) == 1:
        return classes[0]
    text = normal(symbol)
    named = [clazz for clazz in classes if _pattern(clazz).search(text)]
    if named:
        return max(named, key=lambda clazz: len(normal(clazz)))
    words = set(_WORD.findall(text))
    own = [clazz for clazz in classes if words & _own_arguments(clazz, tuple(classes))]
    return own[0] if len(own) == 1 else ""


@functools.cache
def _own_arguments(clazz: str, classes: tuple[str, ...]) -> frozenset[str]:
    """The words in a class's arguments that no other class of the source has."""
    others = {word for c in classes if c != clazz for word in _WORD.findall(normal(c))}
    return frozenset(_WORD.findall(normal(clazz).partition("<")[2])) - others


@functools.cache
def _pattern(clazz: str) -> re.Pattern[str]:
    name = normal(clazz)
    end = r"(?=[,>])" if name.endswith(">") else r"(?!\w)"
    return re.compile(r"(?<!\w)" + re.escape(name.removesuffix(">")) + end)
