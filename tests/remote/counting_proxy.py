"""A server on this machine that passes connections on to another one and counts their bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from remote import server

_CHUNK = 1 << 18


@dataclass
class Traffic:
    """What went through a proxy so far.

    Attributes:
      port: the proxy's, of 127.0.0.1.
      sent: bytes from its clients to the server.
      received: bytes from the server to its clients.
    """

    port: int
    sent: int = 0
    received: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, sent: int, received: int) -> None:
        """Adds bytes; threads may call it at the same time."""
        with self._lock:
            self.sent += sent
            self.received += received


def _pass_on(source: socket.socket, target: socket.socket, traffic: Traffic, *, up: bool) -> None:
    """Passes on what a connection receives until one of the two ends."""
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            # Before they arrive: whoever has received them finds them counted.
            traffic.add(len(data) if up else 0, 0 if up else len(data))
            target.sendall(data)
    for connection in (source, target):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _serve(client: socket.socket, port: int, traffic: Traffic) -> None:
    with client, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
        back = threading.Thread(
            target=_pass_on, args=(connection, client, traffic), kwargs={"up": False}
        )
        back.start()
        _pass_on(client, connection, traffic, up=True)
        back.join()


def _accept(listener: socket.socket, port: int, traffic: Traffic) -> None:
    with suppress(OSError):  # the listener was closed
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve, args=(client, port, traffic), daemon=True).start()


@contextmanager
def running(port: int) -> Iterator[Traffic]:
    """Yields the traffic of a proxy for a server on this machine.

    Args:
      port: the server's, of 127.0.0.1.
    """
    traffic = Traffic(server.free_port())
    with socket.create_server(("127.0.0.1", traffic.port)) as listener:
        accepting = threading.Thread(target=_accept, args=(listener, port, traffic), daemon=True)
        accepting.start()
        try:
            yield traffic
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
