"""Evaluate one BUILD file, a subset of Python, to the rules that it declares.

Nothing of the file is executed: its syntax tree is walked, so a BUILD file of any tree may be read.
What this module does not know (macros loaded from .bzl files) becomes a rule of that kind when it
is called with a name, and an empty value elsewhere.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class BuildFileError(ValueError):
    """A BUILD file is not the subset of Python that Bazel reads; names the file and line."""


@dataclass(frozen=True)
class Rule:
    """One call with a name in a BUILD file, e.g. cc_library(name = "x", srcs = ["x.cc"])."""

    kind: str
    package: str
    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def labels(self, attr: str) -> list[str]:
        """The strings in a list attribute; empty when it is absent or of another type."""
        value = self.attrs.get(attr) or []
        return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


# Twice what the longest BUILD file of TensorFlow has. Python's parser takes up to two kilobytes for a token.
_MOST_TOKENS = 40_000
_LONGEST = 1 << 20
_TOKEN = re.compile(r'"[^"\n]*"|\w+|[^\w\s]')
# What an evaluation may come to: expressions, items and characters made, files looked at by globs. The most that
# a file of TensorFlow's comes to is a seventh of it.
_MOST = 500_000
# Starlark's: no widths, no attributes, no indices.
_PERCENT = re.compile(r"%(?:[%srdiouxXeEfFgGc]|$)|(%)")
_BRACES = re.compile(r"\{\{|\}\}|\{\w*\}|([{}])")


# What conditions are true in the build that we make: mobile, neither Windows nor an accelerator.
_TRUE_CONDITIONS = frozenset({"if_mobile", "if_not_windows", "if_static", "if_oss", "clean_dep"})


def evaluate(text: str, package: str, file_names: Iterable[str]) -> dict[str, Rule]:
    """The rules of a BUILD file by name.

    In: the file's text; its package ("tensorflow/core"); the paths of all files below the package,
    relative to it, for glob().
    Raises BuildFileError where the text does not parse or an expression makes no sense.
    """
    if len(text) > _LONGEST or sum(1 for _ in _TOKEN.finditer(text)) > _MOST_TOKENS:
        raise BuildFileError(
            f"{package}/BUILD: of more than {_LONGEST} characters or {_MOST_TOKENS} words and marks: is it one?"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the parser, for what is no good style in Python
            tree = ast.parse(text)
        return _Evaluation(package, sorted(file_names)).run(tree)
    except SyntaxError as error:
        raise BuildFileError(f"{package}/BUILD:{error.lineno}: {error.msg}") from error
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        what = str(error) or "nested too deep"
        raise BuildFileError(f"{package}/BUILD: not as Bazel reads it: {what}") from error


class _Evaluation:
    def __init__(self, package: str, file_names: list[str]) -> None:
        self._package = package
        self._file_names = file_names
        self._names: dict[str, Any] = {"True": True, "False": False, "None": None}
        self._rules: dict[str, Rule] = {}
        self._left = _MOST

    def _take(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise ValueError(f"it comes to more than {_MOST} values and characters")

    def run(self, tree: ast.Module) -> dict[str, Rule]:
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                value = self._value(statement.value)
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self._names[target.id] = value
            elif isinstance(statement, ast.Expr):
                self._statement(statement.value)
        return self._rules

    def _statement(self, node: ast.expr) -> None:
        if isinstance(node, ast.ListComp):  # [rule(name = x) for x in …] declares rules
            self._comprehension(node.generators, lambda: self._statement(node.elt))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            attrs = {k.arg: self._value(k.value) for k in node.keywords if k.arg}
            name = attrs.get("name")
            if isinstance(name, str):
                self._rules[name] = Rule(node.func.id, self._package, name, attrs)

    def _value(self, node: ast.expr) -> Any:
        self._take(1)
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        return method(node) if method else []

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        return self._names.get(node.id, [])

    def _list(self, node: ast.List) -> list[Any]:
        return [self._value(e) for e in node.elts]

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._value(e) for e in node.elts)

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        pairs = ((k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None)
        return {self._key(k): self._value(v) for k, v in pairs}

    def _key(self, node: ast.expr) -> Any:
        key = self._value(node)
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, str | int) for part in parts):
            raise TypeError("a key that is neither a string nor a number, nor some of them")
        return key

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self._value(node.body if self._value(node.test) else node.orelse)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return self._percent(left, right if isinstance(right, tuple) else (right,))
        both = type(left) is type(right) and isinstance(left, list | str)
        if isinstance(node.op, ast.Add) and both:
            self._take(len(left) + len(right))
            return left + right
        return left

    def _percent(self, form: str, values: tuple[Any, ...]) -> str:
        if any(_PERCENT.findall(form)):
            raise ValueError(f"{form[:60]!r}: only %s and its like, without a width, are Starlark")
        try:
            made = len(form) + _lengths(values)
        except TypeError:
            return form
        self._take(made)
        try:
            return form % values
        except (TypeError, ValueError):
            return form  # other values than it has places for: those of a macro that is not known

    def _format(self, form: str, *values: Any) -> str:
        if any(_BRACES.findall(form)):
            raise ValueError(f"{form[:60]!r}: only {{}} and {{0}} are Starlark")
        self._take(len(form) + form.count("{") * _lengths(values))
        return form.format(*values)

    def _listcomp(self, node: ast.ListComp) -> list[Any]:
        out: list[Any] = []
        self._comprehension(node.generators, lambda: out.append(self._value(node.elt)))
        return out

    def _comprehension(self, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        if not generators:
            body()
            return
        first, rest = generators[0], generators[1:]
        values = self._value(first.iter)
        for value in values if isinstance(values, list | tuple | dict) else []:
            self._bind(first.target, value)
            if all(self._value(condition) for condition in first.ifs):
                self._comprehension(rest, body)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, list | tuple):
            for t, v in zip(target.elts, value, strict=False):
                self._bind(t, v)

    def _call(self, node: ast.Call) -> Any:
        args = [self._value(a) for a in node.args]
        attrs = {k.arg: self._value(k.value) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Attribute):
            return self._method(self._value(node.func.value), node.func.attr, args)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "glob":
            include = args[0] if args else attrs.get("include", [])
            return self._glob(include, attrs.get("exclude", []))
        if name == "select":
            chosen = args[0] if args else {}
            return chosen.get("//conditions:default", []) if isinstance(chosen, dict) else []
        return args[0] if name in _TRUE_CONDITIONS and args else []

    def _method(self, receiver: Any, name: str, args: list[Any]) -> Any:
        if isinstance(receiver, str) and name in ("format", "replace", "join"):
            try:
                return getattr(self, f"_{name}")(receiver, *args)
            except (TypeError, IndexError, KeyError):
                return receiver
        if isinstance(receiver, dict) and name in ("keys", "values", "items"):
            self._take(len(receiver))
            return list(getattr(receiver, name)())
        return []

    def _replace(self, text: str, old: str, new: str) -> str:
        self._take(len(text) + text.count(old) * len(new))
        return text.replace(old, new)

    def _join(self, between: str, parts: Iterable[str]) -> str:
        listed = list(parts)
        self._take(sum(map(len, listed)) + len(listed) * len(between))
        return between.join(listed)

    def _glob(self, include: Any, exclude: Any) -> list[str]:
        for globs in (include, exclude):
            self._take(len(self._file_names) * (len(globs) if isinstance(globs, list) else 0))
        wanted, unwanted = _glob_pattern(include), _glob_pattern(exclude)
        return [f for f in self._file_names if wanted.fullmatch(f) and not unwanted.fullmatch(f)]


def _lengths(values: Iterable[Any]) -> int:
    """How long values are as texts; raises TypeError for lists: their parts may be there any number of times."""
    length = 0
    for value in values:
        if not isinstance(value, str | int | None):
            raise TypeError(f"a {type(value).__name__} in a name")
        length += len(str(value))
    return length


def _glob_pattern(globs: Any) -> re.Pattern[str]:
    """Bazel's globs as one regular expression: * stays in a folder, **/ is any folders."""
    listed = globs if isinstance(globs, list) else []
    return re.compile("|".join(map(_one_glob, listed)) or r"(?!)")


def _one_glob(glob: str) -> str:
    """A glob as a regular expression.

    What stands between two wildcards is taken where it is found first, once and for all (atomic groups): from
    `**` to `**`, and in there from `*` to `*`. That loses no match, and a glob of many wildcards ends soon.
    """
    first, *parts = re.split(r"(\*\*/?)", glob)
    text = _between(first)
    for number in range(0, len(parts), 2):
        folders = "(?:.*?/)??" if parts[number] == "**/" else ".*?"
        rest = folders + _between(parts[number + 1])
        text += rest if number + 2 == len(parts) else f"(?>{rest})"
    return text


def _between(glob: str) -> str:
    """What is between two `**` of a glob, as a regular expression."""
    first, *parts = map(re.escape, glob.split("*"))
    return first + "".join(
        f"[^/]*?{part}" if number + 1 == len(parts) else f"(?>[^/]*?{part})"
        for number, part in enumerate(parts)
    )
