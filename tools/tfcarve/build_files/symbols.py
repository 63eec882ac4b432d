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
_INSTANTIATION = re.compile(r"^\s*template (?:struct|class) [\w:]*?(\w+)<", re.M)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_WORD = re.compile(r"\b[A-Za-z_]\w+\b")


def defined_names(text: str) -> frozenset[str]:
    """Classes whose members, and functions, that a source defines at namespace level."""
    text = _COMMENT.sub("", text)
    patterns = (_MEMBER, _FUNCTION, _INSTANTIATION)
    return frozenset(n for p in patterns for n in p.findall(text)) - {"operator"}


def used_names(text: str) -> frozenset[str]:
    """All identifiers in a file, comments left out."""
    return frozenset(_WORD.findall(_COMMENT.sub("", text)))
