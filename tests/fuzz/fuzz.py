"""Runs the coverage-guided fuzzer on one reader.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.fuzz READER FOUND [libFuzzer's options]

requires `atheris`. It starts from the corpus. It writes inputs that reach new code to the folder FOUND, and
inputs that break the reader to the current folder. To add what was found to the corpus:

    … python -m fuzz.fuzz READER SMALL -merge=1 FOUND
    … python -m fuzz.corpus READER SMALL
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

import atheris

from fuzz import corpus

with atheris.instrument_imports(include=["tfcarve"]):
    from fuzz import readers


def main() -> None:
    """Fuzzes until libFuzzer's options end the run or an input breaks the reader."""
    if len(sys.argv) < 3 or sys.argv[1] not in readers.READERS:
        sys.exit(f"{__doc__}\nREADER: one of {', '.join(readers.READERS)}")
    _, name, found, *options = sys.argv
    Path(found).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder, "dictionary")
        words.write_text(
            "".join(
                '"' + "".join(f"\\x{byte:02x}" for byte in w) + '"\n' for w in readers.DICTIONARY
            )
        )
        seeds = Path(folder, "seeds")
        seeds.mkdir()
        for number, seed in enumerate((*readers.READERS[name].seeds, *corpus.load(name))):
            (seeds / str(number)).write_bytes(seed)
        # libFuzzer runs this program for each attempt of a merge.
        launcher = Path(folder, "launcher")
        command = shlex.join([sys.executable, "-m", "fuzz.fuzz", name, found])
        launcher.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        launcher.chmod(0o700)
        limits = ["-timeout=10", "-rss_limit_mb=1024", f"-dict={words}"]
        atheris.Setup(
            [str(launcher), *limits, found, *options, str(seeds)],
            lambda data: (readers.read(name, data), None)[1],
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
