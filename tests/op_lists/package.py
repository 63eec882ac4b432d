"""The program that prints what a TensorFlow package has: the version, the version of its GraphDefs, and all ops.

usage: python -m op_lists.package FOLDER, with the libraries of the package. It prints a line with the versions, and then the
OpList. A process can load the libraries of one package only.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from ctypes import POINTER, c_char_p, c_void_p
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models.versions import version_def
from tfcarve.prepare.evaluate import c_api
from tfcarve.prepare.graph.messages import OpDef, OpList

LIBRARIES = ("libtensorflow_cc.so.2", "libtensorflow_framework.so.2")


@dataclass(frozen=True)
class Package:
    """What a TensorFlow package has: its version, the version of the GraphDefs that it writes, and its ops."""

    tensorflow: str
    graph_version: int
    ops: tuple[OpDef, ...]


def read(folder: Path) -> Package:
    """Returns what the package has whose libraries are in a folder; raises InvalidInput if they cannot be loaded."""
    command = [sys.executable, "-P", "-m", __name__, str(folder)]
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise InvalidInput(f"{folder}: no ops can be read: {lines[-1] if lines else 'no message'}")
    head, _, ops = done.stdout.partition(b"\n")
    version, graph_version = head.decode().split()
    return Package(version, int(graph_version), tuple(OpList.FromString(ops).op))


def main(folder: str) -> None:
    """Prints what the package in a folder has."""
    library = c_api.load(Path(folder))
    library.TF_Version.restype = c_char_p
    library.TF_NewBuffer.restype = POINTER(c_api.Buffer)
    library.TF_GraphVersions.argtypes = (c_void_p, POINTER(c_api.Buffer), c_void_p)
    library.TF_GraphVersions.restype = None
    versions = library.TF_NewBuffer()
    library.TF_GraphVersions(library.TF_NewGraph(), versions, library.TF_NewStatus())
    content = _content(versions.contents)
    producer = version_def(content, 0, len(content)).producer
    sys.stdout.buffer.write(f"{library.TF_Version().decode()} {producer}\n".encode())
    sys.stdout.buffer.write(_content(library.TF_GetAllOpList().contents))


def _content(buffer: c_api.Buffer) -> bytes:
    return ctypes.string_at(buffer.data, buffer.length)


if __name__ == "__main__":
    main(*sys.argv[1:])
