"""Finds the kernel class that a symbol belongs to, by the class name in the symbol."""

import functools
import re
from collections.abc import Sequence

# Types as TensorFlow's registrations write them, and as demangled names do.
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
# Namespaces begin with a lower-case letter, classes with an upper-case letter (Google's style guide).
_QUALIFIERS = re.compile(r"\(anonymous namespace\)::|\b(?:Eigen|[a-z]\w*)::")
_WORD = re.compile(r"[A-Za-z]\w*")
_TAGS = re.compile(r"\[abi:\w+\]")


def normal(name: str) -> str:
    """Returns a C++ name without spaces and namespaces, and with one spelling of each type."""
    bare = _QUALIFIERS.sub("", _TAGS.sub("", name))
    return _WORDS.sub(lambda word: _SAME.get(word[0], word[0]), bare).replace(" ", "")


def class_of(symbol: str, classes: Sequence[str]) -> str:
    """Returns the class of a symbol, one of the classes of its source; "" if it is ambiguous.

    A source with a single class belongs to it as a whole. Default template arguments are in a symbol's name but
    not in a registration, so a class matches with further arguments. A symbol that names no class, such as a
    functor's, belongs to the only class with a template argument that it has and no other class has.

    Args:
      symbol: its demangled name.
      classes: the classes as the registrations write them.
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
    """The words in a class's template arguments that no other class of the source has."""
    others = {word for c in classes if c != clazz for word in _WORD.findall(normal(c))}
    return frozenset(_WORD.findall(normal(clazz).partition("<")[2])) - others


@functools.cache
def _pattern(clazz: str) -> re.Pattern[str]:
    name = normal(clazz)
    end = r"(?=[,>])" if name.endswith(">") else r"(?!\w)"
    return re.compile(r"(?<!\w)" + re.escape(name.removesuffix(">")) + end)
