"""Names that C++ sources define and use, as far as their text tells.

A rough reading that errs to one side: it may see a use where there is none, which costs a compile;
the linker drops what is not used.
"""

import re

# Definitions stand at the start of a line: code in a namespace is not indented.
_MEMBER = re.compile(
    r"^(?=[A-Za-z_])[^;={}#]*?\b(\w+)(?:<[^;{}()]*>)?::~?(?:operator\W*|\w+)\(", re.M
)
_FUNCTION = re.compile(
    r"^(?!static\b|return\b|using\b|typedef\b)[A-Za-z_][\w:<>,&*\s]*?[\s*&](\w+)\(", re.M
)
# `template struct Slice<…>;`, `template int GatherNdSlice<…>::operator()(…);`: in a header they may be a macro's.
_INSTANTIATIONS = (
    re.compile(r"^\s*template (?:struct|class) [\w:]*?(\w+)<", re.M),
    re.compile(r"^\s*template [\w:]+[\s\\]+[\w:]*?(\w+)<[^;{}()]*>::", re.M),
)
# A class with a call operator that is declared and not defined there, or all of one that is defined elsewhere.
_CALL = re.compile(
    r"\b(?:struct|class)\s+(\w+)\s*\{[^{}]*?\boperator\(\)\s*\([^{};]*\)\s*(?:const\s*)?;"
)
_EXTERN = re.compile(r"\bextern template (?:struct|class) [\w:]*?(\w+)<(?!G[Pp][Uu]Device)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_WORD = re.compile(r"\b[A-Za-z_]\w+\b")


def defined_names(text: str) -> frozenset[str]:
    """Classes whose members, and functions, that a source defines at namespace level."""
    return _found(text, _MEMBER, _FUNCTION, *_INSTANTIATIONS) - {"operator"}


def instantiated_names(text: str) -> frozenset[str]:
    """Class templates that a file instantiates by name, or members of theirs."""
    return _found(text, *_INSTANTIATIONS)


def promised_names(text: str) -> frozenset[str]:
    """Class templates that a file leaves to others to instantiate for the CPU: functors, in TensorFlow's kernels."""
    return _found(text, _CALL, _EXTERN)


def used_names(text: str) -> frozenset[str]:
    """All identifiers in a file, comments left out."""
    return _found(text, _WORD)


def _found(text: str, *patterns: re.Pattern[str]) -> frozenset[str]:
    """What the patterns find, comments left out."""
    bare = _COMMENT.sub("", text)
    return frozenset(name for pattern in patterns for name in pattern.findall(bare))
