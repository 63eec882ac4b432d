"""A C++ compiler that also lists the comparisons of addresses of functions in what it compiles.

    python -m e2e.objects.scanning_gcc FOLDER ARGUMENT…

Runs g++ with the arguments. FOLDER gets a file for each source that has comparisons: JSON, with the source and the comparisons.
FOLDER/compiled gets a line for each source.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from e2e.objects import address_comparisons

_SOURCES = (".cc", ".cpp", ".c")


def _scanned(folder: Path, source: str, dump: Path) -> None:
    found = list(address_comparisons.in_dump(dump.read_text(encoding="utf-8", errors="replace")))
    if found:
        name = hashlib.sha256(source.encode()).hexdigest()
        text = json.dumps({"source": source, "comparisons": found})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    with (folder / "compiled").open("a", encoding="utf-8") as sources:
        sources.write(f"{source}\n")


def main(folder: str, arguments: Sequence[str]) -> int:
    """Compiles; returns g++'s exit status."""
    # g++ finds its programs beside its path. Actions may run without PATH, where this is that of the system's programs.
    compiler = shutil.which("g++")
    assert compiler is not None
    sources = [word for word in arguments if word.endswith(_SOURCES)] if "-c" in arguments else []
    if len(sources) != 1:
        return subprocess.run([compiler, *arguments], check=False).returncode
    with tempfile.TemporaryDirectory() as temporary:
        dump = Path(temporary, "ssa")
        command = [compiler, *arguments, f"-fdump-tree-ssa={dump}"]
        status = subprocess.run(command, check=False).returncode
        # A source without functions has no dump.
        if status == 0 and dump.exists():
            _scanned(Path(folder), sources[0], dump)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
