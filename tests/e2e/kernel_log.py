"""What -DTF_LOG_KERNEL_SOURCES makes a program say, next to what the index says.

With that macro each kernel logs its op and its source when it registers
(tensorflow/core/framework/op_kernel.h, LOG_KERNEL_SOURCES); kernels that are registered through
the C API do not.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from demo.nested import Workspace
from tfcarve.registry.index import Registration
from tfcarve.selection.selection import Selection

# The macro makes the precompiled header unfit for the units, so the compiler reads the headers themselves.
FLAG = "--@tfcarve//rules/config:log_kernel_sources"
_LINE = re.compile(r"Kernel found: (\S+) (\S+)")
# How many kernels of an op a source registers.
Registered = Counter[tuple[str, str]]


def logged(text: str) -> Registered:
    """What a log says; sources as paths from TensorFlow's root, none but TensorFlow's."""
    found: Registered = Counter()
    for op, path in _LINE.findall(text):
        _, root, rest = path.partition("tensorflow/core/")
        if root:
            found[op, root + rest] += 1
    return found


def expected(selection: Selection, registrations: Iterable[Registration]) -> Registered:
    """What a library for `selection` registers, as the index says.

    Args:
      selection: what the library was made for.
      registrations: all of the index.
    """
    classes, ops = selection.classes_by_file(), selection.ops_by_file()
    found: Registered = Counter()
    for r in registrations:
        if not r.file.startswith("tensorflow/core/"):
            continue
        asked = r.op in ops.get(r.file, ()) and r.clazz in classes.get(r.file, ())
        if asked or (r.system and r.file in selection.files):
            found[r.op, r.file] += 1
    return found


def of_library(workspace: Workspace, target: str) -> str:
    """Builds a library's runner with the macro and returns what it logs before it does anything."""
    build = workspace.build([target], [FLAG, "--output_groups=runner"])
    return of_program(build.files(target, "runner")[0])


def of_program(program: Path) -> str:
    """What a program logs on standard error when it is only asked for help."""
    # Whoever imports full TensorFlow in this process may have made it quiet.
    everything = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "0"}
    done = subprocess.run(
        [program, "--help"],
        check=True,
        text=True,
        capture_output=True,
        timeout=60,
        env=everything,
    )
    return done.stderr
