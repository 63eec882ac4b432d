"""Loads and runs damaged versions of a graph. A crash ends the process.

    python -m e2e.sessions.damaged_graphs LIBRARY MODEL FOLDER COUNT

Prints how many were refused and how many ran. After a crash, FOLDER has the version that caused it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

from e2e.sessions.numpy_session import run
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_SEED = 7


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """Returns the graph with some bytes changed, removed, repeated or cut off."""
    data = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind < 2:
            data[at] = chance.randrange(256)
        elif kind == 2:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 3:
            del data[at : at + chance.randint(1, 8)]
        else:
            data[at:at] = data[at : at + chance.randint(1, 64)]
    return bytes(data[: chance.randrange(len(data))] if chance.random() < 0.1 else data)


def main(path: str, model: str, folder: str, count: str) -> None:
    """Tries `count` of them."""
    library = Library(path)
    whole = Path(model).read_bytes()
    chance = random.Random(_SEED)
    ran = 0
    for number in range(int(count)):
        file = Path(folder, f"{number}.pb")
        file.write_bytes(damaged(whole, chance))
        try:
            with library.session_from_file(file) as session:
                run(session, {"input": np.ones((2, 16), np.float32)}, ["output"])
            ran += 1
        except CallError as error:
            assert str(error), "the error has no message"
        file.unlink()
    print(int(count) - ran, ran)


if __name__ == "__main__":
    main(*sys.argv[1:])
