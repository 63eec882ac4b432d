"""Writes output_types.json of a release.

`bazel run //third_party/tensorflow/releases/<name>:update_output_types` runs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from tfcarve import files, json_codec
from tfcarve.errors import TfcarveError
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex, OpDefinition
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.releases.output_types import FILE_NAME, Outputs, OutputTypes, Row


def _outputs(op: OpDefinition) -> Outputs:
    named = {name for a in op.outputs for name in (a.type_attr, a.number_attr, a.type_list_attr)}
    attrs = {
        name: replace(attr, allowed=(), minimum=None)
        for name, attr in sorted(op.attrs.items())
        if name in named
    }
    return Outputs(tuple(replace(argument, name="") for argument in op.outputs), attrs)


def output_types(found: KernelIndex) -> OutputTypes:
    """Returns the outputs of all ops in an index."""
    rows: dict[bytes, tuple[Outputs, list[str]]] = {}
    for op in found.ops:
        outputs = _outputs(op)
        rows.setdefault(json_codec.encode(outputs), (outputs, []))[1].append(op.name)
    listed = sorted((Row(tuple(sorted(ops)), outputs) for outputs, ops in rows.values()),
                    key=lambda row: row.ops)  # fmt: skip
    return OutputTypes(tuple(listed))


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0 done, 2 the tree cannot be indexed.

    Args:
      argv: the release's name, and the path of tensorflow/core/public/version.h in the tree.
    """
    name, version_h = argv
    tree = Path(version_h).resolve().parents[3]
    place = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    try:
        release = known.release(name)
        settings = Settings(release.defines, find_compiler(os.environ))
        found = index.parse(scan.make_index(tree, release, settings), f"index of {tree}")
    except TfcarveError as error:
        print(f"tfcarve: {error}", file=sys.stderr)
        return 2
    output = place / "third_party/tensorflow/releases" / name / FILE_NAME
    files.write_if_changed(output, json_codec.encode_rows(output_types(found)))
    print(f"{output}: up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
