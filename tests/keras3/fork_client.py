"""Commands that keras3.fork_server runs, without importing Keras for each."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from keras3.samples import Programs


@dataclass(frozen=True)
class ForkedPrograms(Programs):
    """Commands that start with the name of a module.

    Attributes:
      server: a process of keras3.fork_server.
    """

    server: subprocess.Popen[str]

    def done(self, command: Sequence[str], *words: str | Path) -> subprocess.CompletedProcess[str]:
        """As Programs.done."""
        line = [*command, *map(str, words)]
        assert self.server.stdin is not None and self.server.stdout is not None
        self.server.stdin.write(json.dumps([os.getcwd(), *line]) + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        if not answer:
            raise RuntimeError(f"{' '.join(line)}: the process that forks it has ended")
        return subprocess.CompletedProcess(line, *json.loads(answer))


@contextmanager
def opened() -> Iterator[ForkedPrograms]:
    """Yields the programs for the duration of the block."""
    command = os.path.join(os.environ["RUNFILES_DIR"], os.environ["FORK_SERVER"])
    pipe = subprocess.PIPE
    with subprocess.Popen([command], stdin=pipe, stdout=pipe, text=True) as server:
        yield ForkedPrograms(("keras3.save",), ("tfcarve",), server)
