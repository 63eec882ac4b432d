"""Indexes TensorFlow source trees and compares the index with the trees' registered lists of files.

`python -m benchmarks.commands.other_trees DIR…` prints a row of the table in docs/trees.md for each tree.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.registry import index, scan
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known

_LIST = "tensorflow/contrib/makefile/tf_op_files.txt"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(r'Name\(\s*"(\w+)"\s*\)\s*(?:\\\s*)?\.Device\(DEVICE_CPU\)')
_OP = re.compile(r'REGISTER_OP\(\s*"(\w+)"')


@dataclass(frozen=True)
class Registration:
    """A registration in a listed source, found without the index."""

    kind: str
    op: str
    file: str


def _grepped(root: Path, files: Sequence[str]) -> Iterator[Registration]:
    for file in files:
        text = _COMMENT.sub("", (root / file).read_text(encoding="utf-8", errors="replace"))
        for kind, pattern in (("kernel", _KERNEL), ("op", _OP)):
            yield from (Registration(kind, op, file) for op in set(pattern.findall(text)))


def row(root: Path) -> str:
    """Returns the table row for the tree at `root`, then one line for each difference."""
    release = known.for_tree(root)
    settings = Settings(release.defines, find_compiler(os.environ))
    indexed = index.parse(scan.make_index(root, release, settings), str(root))
    on_cpu = [r for r in indexed.registrations if r.device in ("CPU", "DEFAULT")]
    figures = [indexed.tensorflow.version, len(indexed.registrations), len({r.op for r in on_cpu})]
    figures += [len(indexed.ops), len(indexed.unresolved)]
    if not (root / _LIST).is_file():
        return " | ".join(map(str, figures))
    listed = set((root / _LIST).read_text().split())
    sources = sorted(f for f in listed if (root / f).is_file())
    registered = {Registration("kernel", r.op, r.file) for r in on_cpu}
    registered |= {Registration("op", o.name, o.file) for o in indexed.ops}
    grepped = list(_grepped(root, sources))
    unknown = [w for w in grepped if w not in registered]
    listed_ops = {w.op for w in registered if w.kind == "kernel" and w.file in listed}
    unlisted = [
        w for w in registered if w.kind == "kernel" and w.op in listed_ops and w.file not in listed
    ]
    figures += [len(listed), len(listed) - len(sources), len(grepped), len(unknown)]
    figures += [len(listed_ops), len(listed_ops - {w.op for w in unlisted})]
    lines = [" | ".join(map(str, figures))]
    lines += sorted(f"  in the list only: {w.kind} {w.op} {w.file}" for w in unknown)
    lines += sorted(f"  in the index only: {w.op} {w.file}" for w in unlisted)
    return "\n".join(lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(row(Path(name)), flush=True)
