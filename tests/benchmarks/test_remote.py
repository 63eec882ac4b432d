"""Tests of benchmarks/builds/remote.py without builds."""

from __future__ import annotations

import socket
import threading

from benchmarks.builds.remote import Run, computed, table
from benchmarks.builds.schedule import Action
from remote import counting_proxy


def test_table() -> None:
    runs = [
        Run(1, 900, 2, 5_000_000, 12_000, 600.0, same=True),
        Run(2, 902, 0, 5_000_001, 12_000, 400.0, same=False),
    ]
    assert table(runs).splitlines() == [
        "| workers | remote actions | local actions | sent | received | time | times faster than 1 | outputs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| 1 | 900 | 2 | 5.0 MB | 12.0 kB | 600.0 s | 1.00 | the same bytes |",
        "| 2 | 902 | 0 | 5.0 MB | 12.0 kB | 400.0 s | 1.50 | OTHER BYTES |",
    ]


def test_computed() -> None:
    graph = [Action(str(place), 3.0, frozenset()) for place in range(8)]
    lines = computed(graph).splitlines()
    assert lines[2:5] == [
        "| 1 | 24.0 s | 1.0 | 100% |",
        "| 2 | 12.0 s | 2.0 | 100% |",
        "| 4 | 6.00 s | 4.0 | 100% |",
    ]
    assert lines[-1] == "| 256 | 3.00 s | 8.0 | 3% |"


def _answer(listener: socket.socket) -> None:
    """Answers a connection with three times what it sends."""
    connection, _ = listener.accept()
    with connection:
        while data := connection.recv(1 << 16):
            connection.sendall(3 * data)


def test_bytes_are_counted() -> None:
    sent = bytes(range(256)) * 1000
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=_answer, args=(listener,), daemon=True)
        server.start()
        with (
            counting_proxy.running(listener.getsockname()[1]) as traffic,
            socket.create_connection(("127.0.0.1", traffic.port)) as client,
        ):
            got = 0
            for start in range(0, len(sent), 1000):
                client.sendall(sent[start : start + 1000])
                while got < 3 * (start + 1000):
                    got += len(client.recv(1 << 16))
        server.join()
    assert (traffic.sent, traffic.received) == (len(sent), 3 * len(sent))
