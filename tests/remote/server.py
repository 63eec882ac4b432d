"""Servers that tests start on this machine."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_START_SECONDS = 60


def free_port() -> int:
    """Returns a port of 127.0.0.1 that no server uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text(errors='replace')[-3000:]}")


@contextmanager
def running(
    words: Sequence[str | Path],
    log: Path,
    port: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Yields a process, which ends with the context.

    Args:
      words: the command.
      log: the file that gets what it prints.
      port: of 127.0.0.1, to wait for; 0: waits for none.
      environment: the environment variables; None: those of this process.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(words, stdout=output, stderr=output, env=environment)
    try:
        if port:
            _wait(port, process, log)
        yield process
    finally:
        process.terminate()
        process.wait()
