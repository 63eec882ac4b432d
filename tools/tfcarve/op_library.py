"""Libraries of custom ops (`--op-library`): checks before TensorFlow loads them, and messages."""

import re
from pathlib import Path

from tfcarve.errors import InvalidInput

_SOURCES = (".cc", ".cpp", ".cxx", ".c")
_COMMAND = (
    "g++ -O2 -shared -fPIC {0} -o {1} $(python -c 'import tensorflow as tf; "
    "print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')"
)
# TensorFlow's message for an op that it does not know.
_UNKNOWN = re.compile(r"Op type not registered '(\w+)'")


def require_library(path: Path) -> None:
    """Raises InvalidInput if a file does not exist, or is source code."""
    if not path.is_file():
        raise InvalidInput(f"{path}: no such file: pass the shared library of a custom op")
    if path.suffix.lower() in _SOURCES:
        command = _COMMAND.format(path, path.with_suffix(".so").name)
        raise InvalidInput(
            f"{path}: is source code, which select takes (--custom-op); full TensorFlow takes a library: {command}"
        )


def cannot_be_loaded(path: str, why: str) -> str:
    """Returns the message for a library that TensorFlow does not load."""
    return f"{path}: TensorFlow cannot load this library of custom ops: {' '.join(why.split())}"


def with_advice(message: str) -> str:
    """Returns an error of TensorFlow; for an unknown op, a message with advice."""
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return message
    return f"TensorFlow does not have the op {unknown[1]}: {ADVICE}"


ADVICE = "if it is a custom op, pass its library with --op-library FILE.so"
