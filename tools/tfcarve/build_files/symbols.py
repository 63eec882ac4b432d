"""Names that C++ sources define and use, found by regular expressions.

Errors are on the safe side: a false use costs a compilation, and the linker drops the unused object file.
"""

import re
from dataclasses import dataclass

# Definitions start at the beginning of a line, because code in a namespace is not indented.
_MEMBER = re.compile(
    r"^(?=[A-Za-z_])[^;={}#]*?\b(\w+)(?:<[^;{}()]*>)?::~?(?:operator\W*|\w+)\(", re.M
)
_FUNCTION = re.compile(
    r"^(?!static\b|return\b|using\b|typedef\b)[A-Za-z_][\w:<>,&*\s]*?[\s*&](\w+)\(", re.M
)
# `template struct Slice<…>;`, `template int GatherNdSlice<…>::operator()(…);`, possibly in a macro.
_INSTANTIATIONS = (
    re.compile(r"^\s*template (?:struct|class) [\w:]*?(\w+)<", re.M),
    re.compile(r"^\s*template [\w:]+[\s\\]+[\w:]*?(\w+)<[^;{}()]*>::", re.M),
)
# A class whose call operator is declared but not defined, or a class template with an extern instantiation.
_CALL = re.compile(
    r"\b(?:struct|class)\s+(\w+)\s*\{[^{}]*?\boperator\(\)\s*\([^{};]*\)\s*(?:const\s*)?;"
)
_EXTERN = re.compile(r"\bextern template (?:struct|class) [\w:]*?(\w+)<(?!G[Pp][Uu]Device)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_WORD = re.compile(r"\b[A-Za-z_]\w+\b")


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a file, without the names in comments.

    Attributes:
      defined: functions that it defines at namespace level, and classes whose members it defines there.
      instantiated: class templates that it instantiates explicitly, as a whole or a member.
      promised: class templates that another file must instantiate for the CPU; in TensorFlow's kernels, functors.
      used: all identifiers.
    """

    defined: frozenset[str]
    instantiated: frozenset[str]
    promised: frozenset[str]
    used: frozenset[str]


def names(text: str) -> Names:
    """Returns the names in the content of a C++ file."""
    bare = _COMMENT.sub("", text)
    # Most files have none of these, and searching for a word is far faster than matching a pattern.
    instantiated = _found(bare, *_INSTANTIATIONS) if "template " in bare else frozenset()
    promised = _found(bare, _CALL) if "operator()" in bare else frozenset()
    if "extern template" in bare:
        promised |= _found(bare, _EXTERN)
    defined = _found(bare, _MEMBER, _FUNCTION) | instantiated
    return Names(defined - {"operator"}, instantiated, promised, _found(bare, _WORD))


def _found(bare: str, *patterns: re.Pattern[str]) -> frozenset[str]:
    return frozenset().union(*(pattern.findall(bare) for pattern in patterns))
