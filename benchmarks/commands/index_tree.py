"""Indexes the whole tree: without a cache, unchanged, with one changed source; and compares it with grep."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Row, run, seconds

_CHANGED = "tensorflow/core/kernels/relu_op.cc"


def _grep(tree: Path, rows: list[dict[str, str]]) -> tuple[int, int, int]:
    """Finds each CPU op's files as TensorFlow documents it: grep 'REGISTER.*"Op"' over core/kernels.

    Returns the number of ops, of ops with exactly the right files, and of ops with no file.
    """
    expected: dict[str, set[str]] = {}
    for row in rows:
        if row["device"] == "CPU" and row["file"].startswith("tensorflow/core/kernels/"):
            expected.setdefault(row["op"], set()).add(row["file"])
    lines = []
    for path in sorted((tree / "tensorflow/core/kernels").glob("*.cc")):
        for line in path.read_text(errors="replace").splitlines():
            if "REGISTER" in line:
                lines.append(
                    (f"tensorflow/core/kernels/{path.name}", line.partition("REGISTER")[2])
                )
    right = none = 0
    for op, files in expected.items():
        named = {file for file, line in lines if f'"{op}"' in line}
        right += named == files
        none += not named
    return len(expected), right, none


def rows(tree: Path, scratch: Path) -> list[Row]:
    """Measures; writes index.json into `scratch`."""
    command = [
        sys.executable,
        "-m",
        "tfcarve",
        "index",
        "-o",
        str(scratch / "index.json"),
        "--tensorflow",
    ]
    with tempfile.TemporaryDirectory() as cache:
        environment = {"XDG_CACHE_HOME": cache}
        cold = run([*command, str(tree)], environment)
        warm = run([*command, str(tree)], environment)
        copy = scratch / "tree"
        shutil.copytree(
            tree,
            copy,
            copy_function=os.link if tree.stat().st_dev == scratch.stat().st_dev else shutil.copy2,
        )
        run([*command, str(copy)], environment)
        changed_source = copy / _CHANGED
        text = changed_source.read_text() + "\n"
        changed_source.unlink()  # it may be a hard link
        changed_source.write_text(text)
        changed = run([*command, str(copy)], environment)
        shutil.rmtree(copy)
    registrations = json.loads((scratch / "index.json").read_bytes())["registrations"]
    ops, right, none = _grep(tree, registrations)
    return [
        Row(f"index of the whole tree, without a cache ({len(registrations):,} registrations)", seconds(cold.wall), "", f"{seconds(cold.cpu)} of CPU time"),
        Row("the same, nothing changed", seconds(warm.wall), "", ""),
        Row("the same, one source changed", seconds(changed.wall), "", ""),
        Row(
            f"files of {ops:,} CPU ops in core/kernels named exactly right (reference: grep, as TensorFlow's docs say)",
            f"{ops:,}",
            f"{right:,}, no file for {none:,}",
            f"{ops / right:.1f}x",
        ),
    ]  # fmt: skip
