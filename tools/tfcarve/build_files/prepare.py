"""python -m tfcarve.build_files.prepare TREE: writes TREE/core.bzl for the overlay's BUILD file.

It runs in a repository rule, before any Python package is installed, so it uses the standard library only.
"""

import dataclasses
import sys
from pathlib import Path

from tfcarve.build_files.core import Core, CoreSourcesError, core_of
from tfcarve.build_files.evaluate import BuildFileError


def core_bzl(core: Core) -> str:
    """Returns the lists of a core as a .bzl file: CORE_SOURCES, CORE_HEADERS and so on."""
    out = ['"""The sources of the core, read from TensorFlow\'s BUILD files."""\n']
    for field in dataclasses.fields(core):
        name = field.name.upper()
        name = name if name.startswith("UNIT_") else f"CORE_{name}"
        lines = "".join(f'    "{path}",\n' for path in getattr(core, field.name))
        out.append(f"\n{name} = [\n{lines}]\n")
    return "".join(out)


def main(argv: list[str]) -> int:
    """Returns the exit status: 0 done, 2 the core of the tree cannot be determined."""
    root = Path(argv[0])
    try:
        text = core_bzl(core_of(root))
    except (BuildFileError, CoreSourcesError, OSError) as error:
        print(f"tfcarve: {error}", file=sys.stderr)
        return 2
    (root / "core.bzl").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
