"""The classes and functions that a user's Python file defines for Keras: custom objects."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tfcarve.errors import InvalidInput


def _registered(decorators: list[ast.expr]) -> Iterator[str]:
    """Yields the texts among the arguments of decorators: the name under which Keras registers a class is one of them."""
    for decorator in decorators:
        if isinstance(decorator, ast.Call):
            for value in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _names(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            yield statement.name
            yield from _registered(statement.decorator_list)


def definitions(path: Path) -> frozenset[str]:
    """Returns the names of the classes and functions that a Python file defines, without running it.

    Raises:
      InvalidInput: it cannot be read, or is not Python.
    """
    try:
        return frozenset(_names(ast.parse(path.read_bytes())))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        raise InvalidInput(f"{path}: is not a Python file: {error}") from None
