"""Names that C++ sources define and use, as far as their text tells.

A rough reading that errs to one side: it may see a use where there is none, which costs a compile;
the linker drops what is not used.
"""

import re
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a file, comments left out.

    Attributes:
      defined: classes whose members, and functions, that it defines at namespace level.
      instantiated: class templates that it instantiates by name, or members of theirs.
      promised: class templates that it leaves to others to instantiate for the CPU: functors, in
        TensorFlow's kernels.
      used: all identifiers.
    """

    defined: frozenset[str]
    instantiated: frozenset[str]
    promised: frozenset[str]
    used: frozenset[str]


def names(text: str) -> Names:
    """Reads the names in a C++ file's text."""
    bare = _COMMENT.sub("", text)
    # Most files have none of these: looking for a word takes a fraction of looking for a pattern.
    instantiated = _found(bare, *_INSTANTIATIONS) if "template " in bare else frozenset()
    promised = _found(bare, _CALL) if "operator()" in bare else frozenset()
    if "extern template" in bare:
        promised |= _found(bare, _EXTERN)
    defined = _found(bare, _MEMBER, _FUNCTION) | instantiated
    return Names(defined - {"operator"}, instantiated, promised, _found(bare, _WORD))


def _found(bare: str, *patterns: re.Pattern[str]) -> frozenset[str]:
    return frozenset().union(*(pattern.findall(bare) for pattern in patterns))
