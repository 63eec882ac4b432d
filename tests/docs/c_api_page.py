"""docs/reference/c_api.md: the C interface, from the comments of its header."""

from __future__ import annotations

import re
import textwrap

from docs.markdown import NOTE, escaped

_COMMENT = re.compile(r"(?:^//.*\n)+", re.MULTILINE)
_FUNCTION = re.compile(r"(\w+)\([^()]*\);")
_TYPE = re.compile(r"typedef (?:(?:enum|struct) |\w+ \(\*)(\w+)")


def _text(comment: str) -> str:
    """A comment without its slashes."""
    return "\n".join(line.removeprefix("//").removeprefix(" ") for line in comment.splitlines())


def _blocks(header: str) -> list[tuple[str, str]]:
    """Each comment that starts a line, and the declaration after it up to an empty line."""
    blocks = []
    for found in _COMMENT.finditer(header):
        declaration = header[found.end() :].split("\n\n", 1)[0]
        blocks.append((_text(found.group()), declaration.strip("\n")))
    return blocks


def _name(declaration: str) -> str:
    found = _TYPE.match(declaration) or _FUNCTION.search(declaration)
    if found is None:
        raise ValueError(f"tfcarve_c_api.h: no type or function in {declaration!r}")
    return found.group(1)


def _paragraphs(text: str) -> str:
    """The introduction: its example becomes a block of code."""
    return re.sub(
        r"(?:^  .*\n|^\n(?=  ))+",
        lambda found: f"\n```c\n{textwrap.dedent(found.group()).strip()}\n```\n",
        text,
        flags=re.MULTILINE,
    )


def _without_export(declaration: str) -> str:
    """A declaration without its macro; lines that are aligned below the parameters stay aligned."""
    macro = "TFCARVE_EXPORT "
    if not declaration.startswith(macro):
        return declaration
    first, *rest = declaration.removeprefix(macro).splitlines()
    aligned = [line[len(macro) :] if line.startswith(" " * len(macro)) else line for line in rest]
    return "\n".join([first, *aligned])


def markdown(header: str) -> str:
    """Returns the page of a header with `//` comments.

    Raises:
        ValueError: a function is exported without a comment, or a comment precedes no declaration.
    """
    (introduction, _), *declared = _blocks(header)
    parts = [NOTE, "# C interface\n", _paragraphs(introduction) + "\n"]
    names = set()
    for comment, declaration in declared:
        if declaration.startswith(("#", "}")):
            continue
        shown = _without_export(declaration)
        names.add(_name(shown))
        parts += [f"## {_name(shown)}\n", f"```c\n{shown}\n```\n", escaped(comment) + "\n"]
    exported = set(re.findall(r"^TFCARVE_EXPORT[^;(]*?(\w+)\(", header, re.MULTILINE))
    if missing := exported - names:
        raise ValueError(f"tfcarve_c_api.h: no comment above {', '.join(sorted(missing))}")
    return "\n".join(parts)
