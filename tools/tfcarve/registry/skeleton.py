"""Skeletons: C++ files reduced to the lines that registrations depend on. Pure.

The skeleton of a header has only its preprocessor lines. The skeleton of a source has all lines. Both omit includes of files
that are not in the tree (system, Eigen, absl, protobuf), and the definitions of the registration macros, which PRELUDE
replaces.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass

# Macros that the prelude defines; the tree's definitions are omitted.
ROOT_MACROS = (
    "REGISTER_KERNEL_BUILDER",
    "REGISTER_SYSTEM_KERNEL_BUILDER",
    "REGISTER_OP",
    "REGISTER_SYSTEM_OP",
    "REGISTER_OP_GRADIENT",
    "REGISTER_OP_NO_GRADIENT",
    "SHOULD_REGISTER_OP",
    "SHOULD_REGISTER_OP_KERNEL",
    "SHOULD_REGISTER_OP_GRADIENT",
)

# Each registration becomes one record in the preprocessor's output. The preprocessor creates the class text by
# `#__VA_ARGS__` after full expansion; tensorflow/core/framework/op_kernel.h does so too. __LINE__ and __FILE__ are the place
# of the outermost macro call.
PRELUDE = r"""
#define TFCARVE_KERNEL_2(system, builder, ...) TFCARVE_KERNEL system __LINE__ __FILE__ #__VA_ARGS__ builder TFCARVE_END
#define TFCARVE_KERNEL_1(system, builder, ...) TFCARVE_KERNEL_2(system, builder, __VA_ARGS__)
#define REGISTER_KERNEL_BUILDER(builder, ...) TFCARVE_KERNEL_1(0, builder, __VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(builder, ...) TFCARVE_KERNEL_1(1, builder, __VA_ARGS__)
#define REGISTER_OP(name) TFCARVE_OP 0 __LINE__ __FILE__ name TFCARVE_END
#define REGISTER_SYSTEM_OP(name) TFCARVE_OP 1 __LINE__ __FILE__ name TFCARVE_END
#define REGISTER_OP_GRADIENT(name, function) TFCARVE_GRADIENT __LINE__ __FILE__ name , function TFCARVE_END
#define REGISTER_OP_NO_GRADIENT(name) TFCARVE_GRADIENT __LINE__ __FILE__ name , nullptr TFCARVE_END
#define TF_NewKernelBuilder TFCARVE_C_KERNEL __LINE__ __FILE__ TFCARVE_END TF_NewKernelBuilder
#define TF_NewOpDefinitionBuilder TFCARVE_C_OP __LINE__ __FILE__ TFCARVE_END TF_NewOpDefinitionBuilder
TFCARVE_SOURCE
"""

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)((?:[^\\\n]++|\\.)*+)\n?", re.MULTILINE | re.DOTALL)
_BLOCK_COMMENT = re.compile(
    r"""("(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)++'|//[^\n]*+)|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
_INCLUDE = re.compile(r"""\s*(?:"([^"\n]+)"|<([^>\n]+)>)""")
_MACRO = re.compile(r"\s*(\w+)")
_DROPPED = frozenset(
    ("error", "warning", "line", "ident", "import", "include_next", "sccs", "assert")
)
_ROOTS = frozenset(ROOT_MACROS)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A file's skeleton text and the files in the tree that it includes."""

    text: str
    includes: tuple[str, ...]


def is_header(path: str) -> bool:
    """Returns whether only the preprocessor lines of the file at `path` matter."""
    return path.endswith((".h", ".hpp", ".hh"))


def _without_block_comments(text: str) -> str:
    reduced = io.StringIO()  # see below; re.sub() builds a list
    last = 0
    for match in _BLOCK_COMMENT.finditer(text):
        if match.group(1) is None:
            reduced.write(text[last : match.start()])
            reduced.write(" ")
            last = match.end()
    reduced.write(text[last:])
    return reduced.getvalue()


def make(text: str, whole: bool, find: Callable[[str], str | None]) -> Skeleton:
    """Creates a skeleton.

    Args:
      text: the file's content.
      whole: include the lines that are not directives, and preserve line numbers.
      find: returns the path in the tree of an include, or None.
    """
    text = text.replace("\r\n", "\n")
    if not whole and "/*" in text:
        text = _without_block_comments(text)
    includes: dict[str, None] = {}  # ordered and unique
    reduced = io.StringIO()  # a list of short lines would take twenty times the memory
    last = 0
    for match in _DIRECTIVE.finditer(text):
        word, rest = match.groups()
        if whole:
            reduced.write(text[last : match.start()])
            last = match.end()
        line: str | None = match.group()
        if word == "include":
            line = None
            written = _INCLUDE.match(rest)
            found = find(written.group(1) or written.group(2)) if written else None
            if found:
                includes[found] = None
                line = f'#include "{found}"\n'
        elif word in ("define", "undef"):
            macro = _MACRO.match(rest)
            if macro and macro.group(1) in _ROOTS:
                line = None
        elif word in _DROPPED or (word == "pragma" and rest.strip() != "once"):
            line = None
        if line is not None:
            reduced.write(line)
            if whole:
                reduced.write("\n" * (match.group().count("\n") - line.count("\n")))
        elif whole:
            reduced.write("\n" * match.group().count("\n"))
    if whole:
        reduced.write(text[last:])
    return Skeleton(reduced.getvalue(), tuple(includes))
