"""Skeletons: a C++ file with only what decides its registrations.

Of a header the preprocessor lines stay; of a source all lines stay. In both,
includes of files that are not in the tree are dropped (system, Eigen, absl,
protobuf), and so are the definitions of the registration macros themselves,
for which PRELUDE has its own. The functions are pure: text in, text out.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass

# Macros that the prelude defines; the tree's own definitions are left out.
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

# Each registration becomes one record in the preprocessor's output. The class
# text is made by the preprocessor's own `#__VA_ARGS__`, after full expansion,
# exactly as in tensorflow/core/framework/op_kernel.h; __LINE__ and __FILE__ tell
# where the outermost macro was used.
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

# Headers that a build makes from templates, with what the makers put there.
# Source: tensorflow/core/framework/registration/options.h.tpl.
GENERATED = {
    "tensorflow/core/framework/registration/options.h": "#define TF_OPTION_REGISTRATION_V2() 0\n",
}

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
    """Says whether only the preprocessor lines of the file at `path` matter."""
    return path.endswith((".h", ".hpp", ".hh"))


def _without_block_comments(text: str) -> str:
    kept = io.StringIO()  # as below; re.sub() makes such a list
    last = 0
    for match in _BLOCK_COMMENT.finditer(text):
        if match.group(1) is None:
            kept.write(text[last : match.start()])
            kept.write(" ")
            last = match.end()
    kept.write(text[last:])
    return kept.getvalue()


def make(text: str, whole: bool, find: Callable[[str], str | None]) -> Skeleton:
    """Makes a skeleton.

    Args:
      text: the file's content.
      whole: keeps the lines that are no directives (and the line numbers).
      find: gives the path in the tree of an include as it is written, or None.
    """
    text = text.replace("\r\n", "\n")
    if not whole and "/*" in text:
        text = _without_block_comments(text)
    includes: dict[str, None] = {}  # in their order, each once
    kept = io.StringIO()  # a list of lines would take twenty times as much where they are short
    last = 0
    for match in _DIRECTIVE.finditer(text):
        word, rest = match.groups()
        if whole:
            kept.write(text[last : match.start()])
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
            kept.write(line)
            if whole:
                kept.write("\n" * (match.group().count("\n") - line.count("\n")))
        elif whole:
            kept.write("\n" * match.group().count("\n"))
    if whole:
        kept.write(text[last:])
    return Skeleton(kept.getvalue(), tuple(includes))
