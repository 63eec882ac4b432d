"""Compiles and links C++ programs with the installed wheel of full TensorFlow."""

from __future__ import annotations

import sys
from importlib import metadata, util
from pathlib import Path

# Without NDEBUG, EdgeSet in edgeset.h would have another size than in the wheel.
FLAGS = (
    *("-std=c++17", "-O1", "-fPIC", "-w", "-DNDEBUG", "-DEIGEN_MAX_ALIGN_BYTES=64"),
    "-D_GLIBCXX_USE_CXX11_ABI=1",
)
# In this order. In the other order, no op is registered.
LIBRARIES = ("-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2", "-lpthread")


def folder() -> Path:
    """Returns the folder of the installed package; raises FileNotFoundError if there is none."""
    found = util.find_spec("tensorflow")
    if found is None or found.origin is None:
        raise FileNotFoundError(
            f"tensorflow is not installed in {sys.executable}: the program is linked with its library"
        )
    return Path(found.origin).parent


def version() -> str:
    """Returns the version of the installed package."""
    return metadata.version("tensorflow-cpu")


def include_flags() -> list[str]:
    """Returns the flags for the wheel's headers."""
    include = folder() / "include"
    return [f"-I{include}", f"-I{include / 'external/gemmlowp'}"]


def link_flags() -> list[str]:
    """Returns the flags that follow the objects when a program is linked."""
    return [f"-L{folder()}", *LIBRARIES, f"-Wl,-rpath,{folder()}"]
