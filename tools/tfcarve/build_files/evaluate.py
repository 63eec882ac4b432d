"""Evaluates a BUILD file, which is a subset of Python, to the rules that it declares.

Nothing of the file is executed: its syntax tree is walked, so BUILD files of untrusted trees can be read. A call with a name is a
rule. The values of loaded symbols are not known: lists omit them. Any other syntax, name, method or value that this module does
not know is an error with file and line.
"""

import ast
import operator
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfcarve.errors import InvalidInput


class BuildFileError(InvalidInput):
    """A BUILD file cannot be evaluated; the text states the file, and the line if the parser gets that far."""


class Loaded:
    """An unknown value: of a symbol that load() defines, or of an expression that depends on such a symbol."""


_LOADED = Loaded()


@dataclass(frozen=True)
class Rule:
    """A call with a name in a BUILD file, e.g. cc_library(name = "x", srcs = ["x.cc"])."""

    kind: str
    package: str
    name: str
    place: str  # file and line
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def labels(self, attr: str) -> list[str]:
        """Returns the strings in a list attribute, without the values that depend on loaded symbols.

        Raises:
          BuildFileError: the attribute is not a list of strings.
        """
        value = self.attrs.get(attr)
        if value is None or isinstance(value, Loaded):
            return []
        if not isinstance(value, list | tuple) or not all(
            isinstance(v, str | Loaded) for v in value
        ):
            raise BuildFileError(
                f"{self.place}: {attr} of {self.kind} {self.name!r} must be a list of strings"
            )
        return [v for v in value if isinstance(v, str)]


# Twice the size of TensorFlow's longest BUILD file. Python's parser takes up to two kilobytes of memory per token.
_MAX_TOKENS = 40_000
_MAX_LENGTH = 1 << 20
_TOKEN = re.compile(r'"[^"\n]*"|\w+|[^\w\s]')
# Limit for the sum of evaluated expressions, created items and characters, and files matched with globs. TensorFlow's
# files need at most a seventh of it.
_MAX_COST = 500_000
# Format strings of Starlark have no widths, attributes or indices. Python's %r has other quotes.
_PERCENT = re.compile(r"%(?:[%sdiouxXeEfFgGc]|$)|(%)")
_BRACES = re.compile(r"\{\{|\}\}|\{\w*\}|([{}])")

# Functions that return their first argument in a mobile build without accelerator; and the name of the argument.
_TRUE_CONDITIONS: Mapping[str, str] = {
    "if_mobile": "a",
    "if_not_windows": "a",
    "if_static": "extra_deps",
    "if_oss": "oss_value",
    "clean_dep": "target",
}

# Functions of BUILD files that declare nothing that a core or a unit has.
_IGNORED_FUNCTIONS = frozenset({"exports_files", "licenses", "package", "package_group"})

_ERRORS = (TypeError, ValueError, LookupError, OverflowError, RecursionError, MemoryError)

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


def evaluate(text: str, path: str, file_names: Iterable[str]) -> dict[str, Rule]:
    """Returns the rules of a BUILD file by name.

    Args:
      text: the file's content.
      path: its path, relative to the root of the tree: "tensorflow/core/BUILD". Its folder is the package.
      file_names: paths of all files in the package, relative to it, for glob().

    Raises:
      BuildFileError: the text cannot be parsed, or an expression cannot be evaluated.
    """
    if len(text) > _MAX_LENGTH or sum(1 for _ in _TOKEN.finditer(text)) > _MAX_TOKENS:
        raise BuildFileError(
            f"{path}: has more than {_MAX_LENGTH} characters or {_MAX_TOKENS} tokens: is it a BUILD file?"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser warns about Python style
            tree = ast.parse(text)
    except SyntaxError as error:
        place = path if error.lineno is None else f"{path}:{error.lineno}"
        raise BuildFileError(f"{place}: {error.msg}") from error
    except _ERRORS as error:
        raise BuildFileError(f"{path}: invalid: {_reason(error)}") from error
    try:
        return _Evaluation(path, sorted(file_names)).run(tree)
    except _Unknown as error:
        raise BuildFileError(f"{path}:{error.line}: {error}") from error


def _reason(error: Exception) -> str:
    return str(error) or "nested too deeply"


class _Unknown(Exception):
    """An expression that this module does not evaluate."""

    def __init__(self, node: ast.AST, what: str) -> None:
        self.line = getattr(node, "lineno", 0)
        super().__init__(what)


def _invalid(node: ast.AST, error: Exception) -> _Unknown:
    return _Unknown(node, f"invalid: {_reason(error)}")


def _condition(node: ast.AST) -> _Unknown:
    return _Unknown(node, f"a condition that depends on a loaded symbol: {_shown(node)}")


def _syntax(node: ast.AST) -> _Unknown:
    return _Unknown(node, f"syntax that is not evaluated: {_shown(node)}")


def _shown(node: ast.AST) -> str:
    return ast.unparse(node)[:60]


class _Evaluation:
    def __init__(self, path: str, file_names: list[str]) -> None:
        self._path = path
        self._package = path.rpartition("/")[0]
        self._file_names = file_names
        self._names: ChainMap[str, Any] = ChainMap()
        self._rules: dict[str, Rule] = {}
        self._left = _MAX_COST

    def _take(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise ValueError(f"it evaluates to more than {_MAX_COST} values and characters")

    def run(self, tree: ast.Module) -> dict[str, Rule]:
        for statement in tree.body:
            try:
                self._run(statement)
            except _ERRORS as error:
                raise _invalid(statement, error) from error
        return self._rules

    def _run(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            value = self._value(statement.value)
            for target in statement.targets:
                self._bind(target, value)
        elif isinstance(statement, ast.Expr):
            self._statement(statement.value)
        else:
            kind = type(statement).__name__.lower()
            raise _Unknown(statement, f"a BUILD file has no statement of the kind {kind!r}")

    def _statement(self, node: ast.expr) -> None:
        if isinstance(node, ast.ListComp):  # [rule(name = x) for x in …] declares rules
            self._comprehension(node.generators, lambda: self._statement(node.elt))
        elif isinstance(node, ast.List):
            for element in node.elts:
                self._statement(element)
        elif isinstance(node, ast.Call):
            self._declaration(node)
        elif not isinstance(node, ast.Constant):
            raise _Unknown(node, f"a statement that declares nothing: {_shown(node)}")

    def _declaration(self, node: ast.Call) -> None:
        kind = _function(node.func)
        if kind == "load":
            self._load(node)
            return
        if kind is None and not isinstance(self._value(node.func), Loaded):
            raise _syntax(node)
        attrs = self._keywords(node)
        name = attrs.get("name")
        if name is None:
            self._value(node)
        elif isinstance(name, str):
            place = f"{self._path}:{node.lineno}"
            self._rules[name] = Rule(
                kind or ast.unparse(node.func), self._package, name, place, attrs
            )
        elif not isinstance(name, Loaded):
            raise _Unknown(node, f"the name of a rule must be a string: {_shown(node)}")

    def _load(self, node: ast.Call) -> None:
        strings = [
            a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
        ]
        aliases = [keyword.arg for keyword in node.keywords if keyword.arg]
        if len(strings) != len(node.args) or len(aliases) != len(node.keywords):
            raise _syntax(node)
        for name in strings[1:] + aliases:
            self._names[name] = _LOADED

    def _value(self, node: ast.expr) -> Any:
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            raise _syntax(node)
        try:
            self._take(1)
            return method(node)
        except _ERRORS as error:
            raise _invalid(node, error) from error

    def _truth(self, node: ast.expr) -> bool:
        value = self._value(node)
        if isinstance(value, Loaded):
            raise _condition(node)
        return bool(value)

    def _constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, str | int | float | None):
            raise _syntax(node)
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self._names:
            raise _Unknown(node, f"the name {node.id!r} is neither loaded nor assigned")
        return self._names[node.id]

    def _attribute(self, node: ast.Attribute) -> Any:
        if not isinstance(self._value(node.value), Loaded):
            raise _syntax(node)
        return _LOADED  # a field of a loaded struct

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self._value(node.value)
        parts = [node.slice]
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            parts = [ast.Constant(None) if b is None else b for b in bounds]
        indices = [self._value(part) for part in parts]
        if _any_loaded(value, *indices):
            return _LOADED
        index = slice(*indices) if isinstance(node.slice, ast.Slice) else indices[0]
        try:
            found = value[index]
        except LookupError:
            if isinstance(value, dict) and _LOADED in value:
                return _LOADED
            raise _Unknown(node, f"no such key or index: {_shown(node)}") from None
        if isinstance(found, list | tuple | str):
            self._take(len(found))
        return found

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return not self._truth(node.operand)
        value = self._value(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(value, int):
            return -value
        raise _syntax(node)

    def _boolop(self, node: ast.BoolOp) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        *first, last = node.values
        for operand in first:
            value = self._value(operand)
            if isinstance(value, Loaded):
                raise _condition(operand)
            if bool(value) == stops_at:
                return value
        return self._value(last)

    def _compare(self, node: ast.Compare) -> bool | Loaded:
        left, *rest = (self._value(n) for n in (node.left, *node.comparators))
        if any(_depends(value) for value in (left, *rest)):
            return _LOADED
        for comparison, right in zip(node.ops, rest, strict=True):
            compare = _COMPARISONS.get(type(comparison))
            if compare is None:
                raise _syntax(node)
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
        out: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:  # {**x} is Python only
                raise _syntax(node)
            out[self._key(key)] = self._value(value)
        return out

    def _key(self, node: ast.expr) -> Any:
        key = self._value(node)
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, str | int | Loaded) for part in parts):
            raise _Unknown(node, "a dictionary key must be a string, a number or a tuple of them")
        return key

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self._value(node.body if self._truth(node.test) else node.orelse)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return self._percent(left, right if isinstance(right, tuple) else (right,))
        if isinstance(node.op, ast.Add):
            return self._sum(node, left, right)
        if isinstance(node.op, ast.Mult):
            return self._product(node, left, right)
        raise _Unknown(node, f"an operator that is not evaluated: {_shown(node)}")

    def _sum(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        if _any_loaded(left, right):
            known = right if isinstance(left, Loaded) else left
            if isinstance(known, list):
                return known
            if isinstance(known, str | Loaded):
                return _LOADED
        if type(left) is not type(right) or type(left) not in (list, tuple, str, int):
            raise _Unknown(node, f"operands that cannot be added: {_shown(node)}")
        self._take(_size(left) + _size(right))
        return left + right

    def _product(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        if _any_loaded(left, right):
            return _LOADED
        if isinstance(left, int):
            left, right = right, left
        if not isinstance(left, list | tuple | str | int) or not isinstance(right, int):
            raise _Unknown(node, f"operands that cannot be multiplied: {_shown(node)}")
        self._take(
            _size(left) + _size(right) if isinstance(left, int) else len(left) * max(right, 0)
        )
        return left * right

    def _percent(self, form: str, values: tuple[Any, ...]) -> str | Loaded:
        if any(_PERCENT.findall(form)):
            raise ValueError(
                f"{form[:60]!r}: Starlark has conversions such as %s only, without a width"
            )
        if _any_loaded(*values):
            return _LOADED
        self._take(len(form) + _lengths(values))
        return form % values

    def _format(self, form: str, *values: Any, **named: Any) -> str | Loaded:
        if any(_BRACES.findall(form)):
            raise ValueError(f"{form[:60]!r}: Starlark has the fields {{}} and {{0}} only")
        if _any_loaded(*values, *named.values()):
            return _LOADED
        self._take(len(form) + form.count("{") * _lengths((*values, *named.values())))
        return form.format(*values, **named)

    def _listcomp(self, node: ast.ListComp) -> list[Any]:
        out: list[Any] = []
        self._comprehension(node.generators, lambda: out.append(self._value(node.elt)))
        return out

    def _comprehension(self, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        """Runs `body` for each value of the generators, whose variables exist only in there."""
        outer = self._names
        self._names = outer.new_child()
        self._loop(generators, body)
        self._names = outer

    def _loop(self, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        if not generators:
            body()
            return
        first, rest = generators[0], generators[1:]
        values = self._value(first.iter)
        if isinstance(values, Loaded):
            return
        if not isinstance(values, list | tuple | dict):
            raise _Unknown(first.iter, f"neither a list nor a dictionary: {_shown(first.iter)}")
        for value in values:
            self._bind(first.target, value)
            if all(self._truth(condition) for condition in first.ifs):
                self._loop(rest, body)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
            return
        if not isinstance(target, ast.Tuple | ast.List):
            raise _syntax(target)
        values = [value] * len(target.elts) if isinstance(value, Loaded) else value
        if not isinstance(values, list | tuple) or len(values) != len(target.elts):
            raise _Unknown(target, f"not a list of {len(target.elts)} values for {_shown(target)}")
        for one, item in zip(target.elts, values, strict=True):
            self._bind(one, item)

    def _keywords(self, node: ast.Call) -> dict[str, Any]:
        """Returns the named arguments of a call, including the items of **dictionary."""
        out: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value)
            if keyword.arg:
                out[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                self._take(len(value))
                out.update(value)
            elif not isinstance(value, Loaded):
                raise _Unknown(
                    keyword.value, f"not a dictionary with names: {_shown(keyword.value)}"
                )
        return out

    def _call(self, node: ast.Call) -> Any:
        args = [self._value(a) for a in node.args]
        named = self._keywords(node)
        name = _function(node.func)
        if name is not None:
            return self._named(node, name, args, named)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, self._value(node.func.value), node.func.attr, args, named)
        raise _syntax(node)

    def _named(self, node: ast.Call, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Returns the value of a function that has a name."""
        if name == "dict":
            return self._dict_of(node, args, named)
        if name == "glob":
            return self._glob(node, args, named)
        if name == "select":
            return _select(node, args, named)
        if name in _TRUE_CONDITIONS:
            parameter = _TRUE_CONDITIONS[name]
            if not args and parameter not in named:
                raise _Unknown(node, f"{name}() needs the argument {parameter}")
            return args[0] if args else named[parameter]
        if name in _IGNORED_FUNCTIONS:
            return None
        if name not in self._names:
            raise _Unknown(node, f"the function {name!r} is neither loaded nor known")
        if not isinstance(self._names[name], Loaded):
            raise _syntax(node)
        return _LOADED

    def _dict_of(self, node: ast.Call, args: list[Any], named: dict[str, Any]) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for part in args:
            if isinstance(part, dict):
                self._take(len(part))
                out.update(part)
            elif not isinstance(part, Loaded):
                raise _syntax(node)
        return out | named

    def _method(
        self, node: ast.Call, receiver: Any, name: str, args: list[Any], named: dict[str, Any]
    ) -> Any:
        if isinstance(receiver, Loaded):
            return _LOADED
        if isinstance(receiver, str) and name == "format":
            return self._format(receiver, *args, **named)
        if isinstance(receiver, str) and name == "replace" and len(args) == 2 and not named:
            return self._replace(receiver, *args)
        if isinstance(receiver, str) and name == "join" and len(args) == 1 and not named:
            return self._join(receiver, *args)
        if (
            isinstance(receiver, dict)
            and name in ("keys", "values", "items")
            and not (args or named)
        ):
            self._take(len(receiver))
            return list(getattr(receiver, name)())
        if isinstance(receiver, dict) and name == "get" and 1 <= len(args) <= 2 and not named:
            if isinstance(args[0], Loaded) or (_LOADED in receiver and args[0] not in receiver):
                return _LOADED
            return receiver.get(*args)
        raise _Unknown(node, f"a method that is not evaluated: {_shown(node)}")

    def _replace(self, text: str, old: Any, new: Any) -> str | Loaded:
        if _any_loaded(old, new):
            return _LOADED
        self._take(len(text) + text.count(old) * len(new))
        return text.replace(old, new)

    def _join(self, between: str, parts: Any) -> str | Loaded:
        if isinstance(parts, Loaded):
            return _LOADED
        if not isinstance(parts, list | tuple):
            raise TypeError("join() needs a list of strings")
        if _any_loaded(*parts):
            return _LOADED
        self._take(sum(map(len, parts)) + len(parts) * len(between))
        return between.join(parts)

    def _glob(self, node: ast.Call, args: list[Any], named: dict[str, Any]) -> list[str] | Loaded:
        if len(args) > 2 or not named.keys() <= {"include", "exclude", "allow_empty"}:
            raise _syntax(node)
        include = args[0] if args else named.get("include", [])
        exclude = args[1] if len(args) == 2 else named.get("exclude", [])
        if _any_loaded(include, exclude):
            return _LOADED
        for globs in (include, exclude):
            if not isinstance(globs, list | tuple) or not all(
                isinstance(g, str | Loaded) for g in globs
            ):
                raise _Unknown(node, f"glob() needs lists of strings: {_shown(node)}")
            self._take(len(self._file_names) * len(globs))
        wanted, unwanted = _glob_pattern(include), _glob_pattern(exclude)
        return [f for f in self._file_names if wanted.fullmatch(f) and not unwanted.fullmatch(f)]


def _any_loaded(*values: Any) -> bool:
    return any(isinstance(value, Loaded) for value in values)


def _depends(value: Any) -> bool:
    """Returns whether a value is not known, or is a collection with values that are not known."""
    return isinstance(value, Loaded) or (
        isinstance(value, list | tuple | dict) and _LOADED in value
    )


def _function(node: ast.expr) -> str | None:
    """Returns the name of a function, without a `native.` before it; None for another expression."""
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "native"
    ):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _select(node: ast.Call, args: list[Any], named: dict[str, Any]) -> Any:
    """Returns the default of a select(): no condition is known to be true."""
    if len(args) != 1 or not named.keys() <= {"no_match_error"}:
        raise _syntax(node)
    if isinstance(args[0], Loaded):
        return _LOADED
    if not isinstance(args[0], dict) or "//conditions:default" not in args[0]:
        raise _Unknown(
            node, f"select() needs a dictionary with //conditions:default: {_shown(node)}"
        )
    return args[0]["//conditions:default"]


def _size(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else len(value)


def _lengths(values: Iterable[Any]) -> int:
    """Returns the length of values as text; raises TypeError for lists, which may contain one another many times."""
    length = 0
    for value in values:
        if not isinstance(value, str | int | None):
            raise TypeError(f"a {type(value).__name__} in a name")
        length += len(str(value))
    return length


def _glob_pattern(globs: Iterable[Any]) -> re.Pattern[str]:
    """Returns Bazel globs as one regular expression: * matches within a folder, **/ any folders."""
    known = (glob for glob in globs if isinstance(glob, str))
    return re.compile("|".join(map(_one_glob, known)) or r"(?!)")


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
