"""Evaluates a BUILD file, which is a subset of Python, to the rules that it declares.

Nothing of the file is executed: its syntax tree is walked, so BUILD files of untrusted trees can be read. A call with a name is a
rule. What load() statements bring is opaque: calls of such macros without a name, and their values, are empty lists. Any other
syntax, name or method that this module does not know is an error with its line.
"""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class BuildFileError(ValueError):
    """A BUILD file is not valid Starlark; the text states the file, and the line if it is a syntax error."""


@dataclass(frozen=True)
class Rule:
    """A call with a name in a BUILD file, e.g. cc_library(name = "x", srcs = ["x.cc"])."""

    kind: str
    package: str
    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def labels(self, attr: str) -> list[str]:
        """Returns the strings in a list attribute; empty: it is absent or has another type."""
        value = self.attrs.get(attr) or []
        return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


# Twice the size of TensorFlow's longest BUILD file. Python's parser takes up to two kilobytes of memory per token.
_MAX_TOKENS = 40_000
_MAX_LENGTH = 1 << 20
_TOKEN = re.compile(r'"[^"\n]*"|\w+|[^\w\s]')
# Limit for the sum of evaluated expressions, created items and characters, and files matched with globs. TensorFlow's
# files need at most a seventh of it.
_MAX_COST = 500_000
# Format strings of Starlark have no widths, attributes or indices.
_PERCENT = re.compile(r"%(?:[%srdiouxXeEfFgGc]|$)|(%)")
_BRACES = re.compile(r"\{\{|\}\}|\{\w*\}|([{}])")


# Conditions that are true in the build: mobile, no Windows, no accelerator.
_TRUE_CONDITIONS = frozenset({"if_mobile", "if_not_windows", "if_static", "if_oss", "clean_dep"})


def evaluate(text: str, package: str, file_names: Iterable[str]) -> dict[str, Rule]:
    """Returns the rules of a BUILD file by name.

    Args:
      text: the file's content.
      package: its package, e.g. "tensorflow/core".
      file_names: paths of all files in the package, relative to it, for glob().

    Raises:
      BuildFileError: the text cannot be parsed, or an expression is invalid.
    """
    if len(text) > _MAX_LENGTH or sum(1 for _ in _TOKEN.finditer(text)) > _MAX_TOKENS:
        raise BuildFileError(
            f"{package}/BUILD: has more than {_MAX_LENGTH} characters or {_MAX_TOKENS} tokens: is it a BUILD file?"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser warns about Python style
            tree = ast.parse(text)
        return _Evaluation(package, sorted(file_names)).run(tree)
    except SyntaxError as error:
        raise BuildFileError(f"{package}/BUILD:{error.lineno}: {error.msg}") from error
    except _Unknown as error:
        raise BuildFileError(f"{package}/BUILD:{error.line}: {error}") from None
    except (TypeError, ValueError, RecursionError, MemoryError) as error:
        what = str(error) or "nested too deeply"
        raise BuildFileError(f"{package}/BUILD: invalid: {what}") from error


_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}

# Functions of BUILD files whose values are not used: they declare nothing that a core or a unit has.
_IGNORED_FUNCTIONS = frozenset({"exports_files", "licenses", "load", "package", "package_group"})
_NATIVE_NAMES = frozenset({"native", "PACKAGE_NAME", "REPOSITORY_NAME"})


class _Unknown(ValueError):
    """An expression that this module does not evaluate."""

    def __init__(self, node: ast.AST, what: str) -> None:
        self.line = getattr(node, "lineno", 0)
        super().__init__(what)


class _Evaluation:
    def __init__(self, package: str, file_names: list[str]) -> None:
        self._package = package
        self._file_names = file_names
        self._names: dict[str, Any] = {"True": True, "False": False, "None": None}
        self._rules: dict[str, Rule] = {}
        self._left = _MAX_COST

    def _take(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise ValueError(f"it evaluates to more than {_MAX_COST} values and characters")

    def run(self, tree: ast.Module) -> dict[str, Rule]:
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                value = self._value(statement.value)
                for target in statement.targets:
                    self._bind(target, value)
            elif isinstance(statement, ast.Expr):
                self._statement(statement.value)
            else:
                kind = type(statement).__name__.lower()
                raise _Unknown(statement, f"a BUILD file has no statement of the kind {kind!r}")
        return self._rules

    def _statement(self, node: ast.expr) -> None:
        if isinstance(node, ast.ListComp):  # [rule(name = x) for x in …] declares rules
            self._comprehension(node.generators, lambda: self._statement(node.elt))
            return
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "load"
        ):
            self._load(node)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            attrs = {k.arg: self._value(k.value) for k in node.keywords if k.arg}
            name = attrs.get("name")
            if isinstance(name, str):
                self._rules[name] = Rule(node.func.id, self._package, name, attrs)
                return
        self._value(node)

    def _load(self, node: ast.Call) -> None:
        """What a .bzl file brings is opaque: an empty list."""
        for argument in node.args[1:]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self._names.setdefault(argument.value, [])
        for keyword in node.keywords:
            if keyword.arg:
                self._names.setdefault(keyword.arg, [])

    def _value(self, node: ast.expr) -> Any:
        self._take(1)
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            raise _Unknown(node, f"syntax that is not evaluated: {ast.unparse(node)[:60]}")
        return method(node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self._names and node.id not in _NATIVE_NAMES:
            raise _Unknown(node, f"the name {node.id!r} is neither loaded nor assigned")
        return self._names.get(node.id, [])

    def _attribute(self, node: ast.Attribute) -> Any:
        if self._value(node.value) != []:
            raise _Unknown(node, f"syntax that is not evaluated: {ast.unparse(node)[:60]}")
        return []  # a field of a loaded struct

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self._value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            index: Any = slice(*(None if b is None else self._value(b) for b in bounds))
        else:
            index = self._value(node.slice)
        try:
            found = value[index]
        except (IndexError, KeyError, TypeError):
            return []  # of a loaded value
        if isinstance(found, list | str):
            self._take(len(found))
        return found

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(node.op, ast.USub) and isinstance(value, int):
            return -value
        raise _Unknown(node, f"syntax that is not evaluated: {ast.unparse(node)[:60]}")

    def _boolop(self, node: ast.BoolOp) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        value: Any = None
        for operand in node.values:
            value = self._value(operand)
            if bool(value) == stops_at:
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left, *rest = (self._value(n) for n in (node.left, *node.comparators))
        for comparison, right in zip(node.ops, rest, strict=True):
            compare = _COMPARISONS.get(type(comparison))
            if compare is None:
                raise _Unknown(node, f"syntax that is not evaluated: {ast.unparse(node)[:60]}")
            if not compare(left, right):
                return False
            left = right
        return True

    def _dictcomp(self, node: ast.DictComp) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        self._comprehension(
            node.generators, lambda: out.update({self._key(node.key): self._value(node.value)})
        )
        return out

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
            raise TypeError("a dictionary key must be a string, a number or a tuple of them")
        return key

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self._value(node.body if self._value(node.test) else node.orelse)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return self._percent(left, right if isinstance(right, tuple) else (right,))
        both = type(left) is type(right) and isinstance(left, list | str)
        if isinstance(node.op, ast.Add):
            if not both:
                return left  # one of the two is a loaded value
            self._take(len(left) + len(right))
            return left + right
        if isinstance(node.op, ast.Mod):
            return left
        if isinstance(node.op, ast.Mult):
            return self._repeat(left, right)
        raise _Unknown(node, f"an operator that is not evaluated: {ast.unparse(node)[:60]}")

    def _repeat(self, left: Any, right: Any) -> Any:
        if isinstance(left, int) and isinstance(right, str | list):
            left, right = right, left
        if isinstance(left, str | list) and isinstance(right, int):
            self._take(len(left) * max(right, 0))
            return left * right
        return left * right if isinstance(left, int) and isinstance(right, int) else []

    def _percent(self, form: str, values: tuple[Any, ...]) -> str:
        if any(_PERCENT.findall(form)):
            raise ValueError(
                f"{form[:60]!r}: Starlark has conversions such as %s only, without a width"
            )
        try:
            length = len(form) + _lengths(values)
        except TypeError:
            return form
        self._take(length)
        try:
            return form % values
        except (TypeError, ValueError):
            return form  # the values come from an unknown macro

    def _format(self, form: str, *values: Any) -> str:
        if any(_BRACES.findall(form)):
            raise ValueError(f"{form[:60]!r}: Starlark has the fields {{}} and {{0}} only")
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
            return self._method(node, self._value(node.func.value), node.func.attr, args)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "dict":
            spread = (self._value(k.value) for k in node.keywords if not k.arg)
            return self._dict_of([*args, *spread, attrs])
        if name == "glob":
            include = args[0] if args else attrs.get("include", [])
            return self._glob(include, attrs.get("exclude", []))
        if name == "select":
            chosen = args[0] if args else {}
            return chosen.get("//conditions:default", []) if isinstance(chosen, dict) else []
        if name in _TRUE_CONDITIONS and args:
            return args[0]
        if name not in self._names and name not in _IGNORED_FUNCTIONS:
            raise _Unknown(node, f"the function {name!r} is neither loaded nor known")
        return []

    def _dict_of(self, parts: list[Any]) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for part in parts:
            if isinstance(part, dict):
                self._take(len(part))
                out.update(part)
        return out

    def _method(self, node: ast.Call, receiver: Any, name: str, args: list[Any]) -> Any:
        if isinstance(receiver, str) and name in ("format", "replace", "join"):
            try:
                return getattr(self, f"_{name}")(receiver, *args)
            except (TypeError, IndexError, KeyError):
                return receiver
        if isinstance(receiver, dict) and name in ("keys", "values", "items"):
            self._take(len(receiver))
            return list(getattr(receiver, name)())
        if isinstance(receiver, dict) and name == "get" and 1 <= len(args) <= 2:
            return receiver.get(*args)
        if receiver == []:
            return []  # of a loaded value
        raise _Unknown(node, f"a method that is not evaluated: {ast.unparse(node)[:60]}")

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
    """Returns the length of values as text; raises TypeError for lists, which may contain one another many times."""
    length = 0
    for value in values:
        if not isinstance(value, str | int | None):
            raise TypeError(f"a {type(value).__name__} in a name")
        length += len(str(value))
    return length


def _glob_pattern(globs: Any) -> re.Pattern[str]:
    """Returns Bazel globs as one regular expression: * matches within a folder, **/ any folders."""
    listed = globs if isinstance(globs, list) else []
    return re.compile("|".join(map(_one_glob, listed)) or r"(?!)")


def _one_glob(glob: str) -> str:
    """Returns a glob as a regular expression.

    The text between two wildcards is matched at its first occurrence, without backtracking (atomic groups): between
    `**`, and within that between `*`. This loses no match, and globs with many wildcards take polynomial time.
    """
    first, *parts = re.split(r"(\*\*/?)", glob)
    text = _between(first)
    for number in range(0, len(parts), 2):
        folders = "(?:.*?/)??" if parts[number] == "**/" else ".*?"
        rest = folders + _between(parts[number + 1])
        text += rest if number + 2 == len(parts) else f"(?>{rest})"
    return text


def _between(glob: str) -> str:
    """Returns the part of a glob between two `**` as a regular expression."""
    first, *parts = map(re.escape, glob.split("*"))
    return first + "".join(
        f"[^/]*?{part}" if number + 1 == len(parts) else f"(?>[^/]*?{part})"
        for number, part in enumerate(parts)
    )
