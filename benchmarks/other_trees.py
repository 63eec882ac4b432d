"""Indexes TensorFlow source trees and compares with the files that they list themselves.

`python -m benchmarks.other_trees DIR…` prints a row of the table in docs/trees.md for each tree.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.commands.common import default_defines
from tfcarve.registry import index, scan
from tfcarve.registry.settings import Settings, find_compiler

_LIST = "tensorflow/contrib/makefile/tf_op_files.txt"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(r'Name\(\s*"(\w+)"\s*\)\s*(?:\\\s*)?\.Device\(DEVICE_CPU\)')
_OP = re.compile(r'REGISTER_OP\(\s*"(\w+)"')


@dataclass(frozen=True)
class Written:
    """A registration as it stands in a listed source, found without the index."""

    kind: str
    op: str
    file: str


def _written(root: Path, files: Sequence[str]) -> Iterator[Written]:
    for file in files:
        text = _COMMENT.sub("", (root / file).read_text(encoding="utf-8", errors="replace"))
        for kind, pattern in (("kernel", _KERNEL), ("op", _OP)):
            yield from (Written(kind, op, file) for op in set(pattern.findall(text)))


def row(root: Path) -> str:
    """Returns the table's row for the tree at `root`, and what differs, a line each."""
    settings = Settings(default_defines(), find_compiler(os.environ))
    made = index.parse(scan.make_index(root, settings), str(root))
    on_cpu = [r for r in made.registrations if r.device in ("CPU", "DEFAULT")]
    figures = [made.tensorflow.version, len(made.registrations), len({r.op for r in on_cpu})]
    figures += [len(made.ops), len(made.unresolved)]
    if not (root / _LIST).is_file():
        return " | ".join(map(str, figures))
    listed = set((root / _LIST).read_text().split())
    sources = sorted(f for f in listed if (root / f).is_file())
    ours = {Written("kernel", r.op, r.file) for r in on_cpu}
    ours |= {Written("op", o.name, o.file) for o in made.ops}
    written = list(_written(root, sources))
    unknown = [w for w in written if w not in ours]
    of_list = {w.op for w in ours if w.kind == "kernel" and w.file in listed}
    beside = [w for w in ours if w.kind == "kernel" and w.op in of_list and w.file not in listed]
    figures += [len(listed), len(listed) - len(sources), len(written), len(unknown)]
    figures += [len(of_list), len(of_list - {w.op for w in beside})]
    lines = [" | ".join(map(str, figures))]
    lines += sorted(f"  in the list only: {w.kind} {w.op} {w.file}" for w in unknown)
    lines += sorted(f"  in the index only: {w.op} {w.file}" for w in beside)
    return "\n".join(lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(row(Path(name)), flush=True)
