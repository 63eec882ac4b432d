"""The kernel registrations that a program logs with -DTF_LOG_KERNEL_SOURCES, and those that the index predicts.

With that macro, each kernel logs its op and its source when it registers
(tensorflow/core/framework/op_kernel.h, LOG_KERNEL_SOURCES). Kernels that register through the C API do not.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tfcarve.app.workspace import Workspace
from tfcarve.registry.index import Registration
from tfcarve.selection.selection import Selection

# The precompiled header does not fit units with this macro: they include the headers themselves.
FLAG = "--@tfcarve//rules/config:log_kernel_sources"
_LINE = re.compile(r"Kernel found: (\S+) (\S+)")
# (op, source) to the number of kernels that register.
Registered = Counter[tuple[str, str]]


def logged(text: str) -> Registered:
    """Reads a log. Sources are paths from TensorFlow's root; others are skipped."""
    found: Registered = Counter()
    for op, path in _LINE.findall(text):
        _, root, rest = path.partition("tensorflow/core/")
        if root:
            found[op, root + rest] += 1
    return found


def expected(selection: Selection, registrations: Iterable[Registration]) -> Registered:
    """Returns what a library for `selection` registers according to the index.

    Args:
      selection: the selection that the library was built for.
      registrations: all registrations of the index.
    """
    classes, ops = selection.classes_by_file(), selection.ops_by_file()
    found: Registered = Counter()
    for r in registrations:
        if not r.file.startswith("tensorflow/core/"):
            continue
        selected = r.op in ops.get(r.file, ()) and r.clazz in classes.get(r.file, ())
        if selected or (r.system and r.file in selection.files):
            found[r.op, r.file] += 1
    return found


def of_library(workspace: Workspace, target: str) -> str:
    """Builds a library's run_model with the macro and returns what it logs at startup."""
    build = workspace.build([target], [FLAG, "--output_groups=programs"])
    return of_program(build.named(target, "programs")["run_model"])


def of_program(program: Path) -> str:
    """Returns what a program logs to standard error with --help."""
    # An import of full TensorFlow in this process may have set the variable.
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "0"}
    done = subprocess.run(
        [program, "--help"],
        check=True,
        text=True,
        capture_output=True,
        timeout=60,
        env=environment,
    )
    return done.stderr
