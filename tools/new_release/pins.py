"""The third-party sources that a tree's own build downloads.

Nothing of the tree is executed: the syntax trees of its .bzl files, which are a subset of Python, are walked.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# TensorFlow's names of tfcarve's third-party sources.
NAMES = {
    "abseil": ("com_google_absl",),
    "double_conversion": ("double_conversion",),
    "eigen": ("eigen_archive",),
    "farmhash": ("farmhash_archive", "farmhash_gpu_archive"),
    "flatbuffers": ("flatbuffers",),
    "gemmlowp": ("gemmlowp",),
    "giflib": ("gif",),
    "highwayhash": ("highwayhash",),
    "libjpeg_turbo": ("libjpeg_turbo",),
    "libpng": ("png",),
    "ml_dtypes": ("ml_dtypes",),
    "nsync": ("nsync",),
    "protobuf": ("com_google_protobuf",),
    "re2": ("com_googlesource_code_re2",),
    "zlib": ("zlib",),
}
_RULES = frozenset({"tf_http_archive", "http_archive"})
# Calls with an address, or with a list of addresses.
_ADDRESSES = frozenset({"tf_mirror_urls"})
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Pin:
    """A source archive.

    Attributes:
      url: its address.
      sha256: of the archive.
      strip_prefix: the folder in the archive that has the sources.
    """

    url: str
    sha256: str
    strip_prefix: str


def of_tree(root: Path) -> dict[str, Pin]:
    """Returns the archive of each third-party source that the build of a tree downloads, by tfcarve's name."""
    files = [root / "tensorflow/workspace2.bzl", *sorted(root.glob("third_party/*/workspace.bzl"))]
    found: dict[str, Pin] = {}
    for file in files:
        if file.is_file() and file.stat().st_size <= _MAX_BYTES:
            found.update(_of_file(file.read_text(encoding="utf-8", errors="replace")))
    return {
        name: next(found[theirs] for theirs in names if theirs in found)
        for name, names in NAMES.items()
        if not found.keys().isdisjoint(names)
    }


def _of_file(text: str) -> Iterator[tuple[str, Pin]]:
    """Yields TensorFlow's name of each archive in a .bzl file, and the archive; skips values that are not constants."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, RecursionError, ValueError):
        return
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _RULES
        ):
            values = {one.arg: _value(one.value, constants) for one in node.keywords}
            address, digest = _address(values.get("urls")), values.get("sha256")
            if isinstance(values.get("name"), str) and address and isinstance(digest, str):
                yield values["name"], Pin(address, digest, str(values.get("strip_prefix") or ""))


def _address(value: Any) -> str | None:
    """Returns the last address of a list: the first ones are those of mirrors."""
    values = value if isinstance(value, list) else [value]
    return next((v for v in reversed(values) if isinstance(v, str)), None)


def _value(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    """Returns the value of a constant expression, else None."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return constants.get(node.id)
        case ast.List():
            return [_value(one, constants) for one in node.elts]
        case ast.BinOp(op=ast.Add()):
            return _sum(_value(node.left, constants), _value(node.right, constants))
        case ast.BinOp(op=ast.Mod()):
            return _replaced(_value(node.left, constants), "%s", _value(node.right, constants))
        case ast.Call(func=ast.Name(id=name), args=[one]) if name in _ADDRESSES:
            return _value(one, constants)
        case ast.Call(func=ast.Attribute(attr="format", value=form), args=[], keywords=named):
            text = _value(form, constants)
            for keyword in named:
                text = _replaced(text, f"{{{keyword.arg}}}", _value(keyword.value, constants))
            return text
        case ast.Call(func=ast.Attribute(attr="format", value=form), args=[one], keywords=[]):
            return _replaced(_value(form, constants), "{}", _value(one, constants))
    return None


def _sum(left: Any, right: Any) -> Any:
    return left + right if isinstance(left, str) and isinstance(right, str) else None


def _replaced(form: Any, what: str, value: Any) -> Any:
    return form.replace(what, value) if isinstance(form, str) and isinstance(value, str) else None
