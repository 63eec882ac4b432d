"""The corpus: inputs that fuzzing found. One file for each reader, one base64 input a line.

    PYTHONPATH=tests python -m fuzz.corpus READER FOLDER

replaces a reader's inputs with the files of a folder.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterable
from pathlib import Path

_FOLDER = Path(__file__).parent / "corpus"


def load(name: str) -> list[bytes]:
    """Returns a reader's inputs."""
    file = _FOLDER / f"{name}.b64"
    lines = file.read_text(encoding="ascii").split() if file.is_file() else []
    return [base64.b64decode(line, validate=True) for line in lines]


def save(name: str, inputs: Iterable[bytes]) -> None:
    """Writes a reader's inputs, without duplicates, shortest first."""
    lines = [base64.b64encode(i).decode() for i in sorted(set(inputs), key=lambda i: (len(i), i))]
    (_FOLDER / f"{name}.b64").write_text("".join(f"{line}\n" for line in lines if line))


if __name__ == "__main__":
    save(sys.argv[1], (file.read_bytes() for file in Path(sys.argv[2]).iterdir()))
