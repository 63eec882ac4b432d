"""Runs the coverage-guided fuzzer on one reader.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.fuzz READER FOUND [libFuzzer's options]

needs `atheris`. It starts from the corpus that is kept here. Inputs that reach new code go into the
folder FOUND, what breaks a reader into the current folder. To keep what was found:

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
    """Fuzzes until libFuzzer's options say that it is enough, or an input breaks the reader."""
    if len(sys.argv) < 3 or sys.argv[1] not in readers.READERS:
        sys.exit(f"{__doc__}\nREADER is one of {', '.join(readers.READERS)}")
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
        # What libFuzzer runs for each attempt of a merge.
        again = Path(folder, "again")
        command = shlex.join([sys.executable, "-m", "fuzz.fuzz", name, found])
        again.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        again.chmod(0o700)
        limits = ["-timeout=10", "-rss_limit_mb=1024", f"-dict={words}"]
        atheris.Setup(
            [str(again), *limits, found, *options, str(seeds)],
            lambda data: (readers.read(name, data), None)[1],
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
