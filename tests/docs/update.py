"""Writes the generated files of the documentation: `./bazelw run //tests/docs:update`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from docs import pages


def main(arguments: Sequence[str]) -> int:
    """Writes the files.

    Args:
        arguments: the ModuleInfo files of the rules and of the module extensions, in the runfiles.

    Returns:
        The exit status, 0.
    """
    runfiles = Path(os.environ["RUNFILES_DIR"])
    root = Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    rules_doc, extensions_doc = (runfiles / name for name in arguments)
    for name, text in pages.generated(root, rules_doc, extensions_doc).items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
