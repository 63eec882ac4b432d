"""Finds the ops in the body of a gradient function. Pure.

A gradient (tensorflow/core/ops/*_grad.cc) is a C++ function that builds a FunctionDef. Its ops are the op names among
the string literals in the function, and in the functions that it calls in its file.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from tfcarve.registry.index import Gradient

_FUNCTION = re.compile(
    r"^(?:static |inline )?(?:[\w:]+::)?Status (\w+)\([^;{]*\{(.*?)^\}", re.M | re.S
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_LITERAL = re.compile(r'"((?:_?[A-Z])\w*)"')
_WORD = re.compile(r"\b[A-Z]\w+\b")
# FunctionDefHelper adds this node.
_CONST = re.compile(r"\b(?:FDH|FunctionDefHelper)::Const\b")


def _bodies(text: str) -> dict[str, str]:
    return dict(_FUNCTION.findall(_COMMENT.sub("", text)))


def _ops(function: str, bodies: Mapping[str, str], ops: Collection[str]) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    todo = [function]
    while todo:
        name = todo.pop()
        if name in seen or name not in bodies:
            continue
        seen.add(name)
        body = bodies[name]
        found.update(word for word in _LITERAL.findall(body) if word in ops)
        if _CONST.search(body):
            found.add("Const")
        todo += _WORD.findall(re.sub(r'"[^"\n]*"', "", body))
    return found


def with_ops(
    gradients: Iterable[Gradient], texts: Mapping[str, str], ops: Collection[str]
) -> list[Gradient]:
    """Returns `gradients`, each with the ops in its body.

    Args:
      gradients: the registered gradients.
      texts: the text of each source that registers one.
      ops: the names of all ops.
    """
    listed = list(gradients)
    bodies = {file: _bodies(texts[file]) for file in {g.file for g in listed}}
    return [replace(g, ops=tuple(sorted(_ops(g.function, bodies[g.file], ops)))) for g in listed]
