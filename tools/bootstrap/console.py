"""Messages and the error of the bootstrap."""

from __future__ import annotations

import sys


class BootstrapError(Exception):
    """An error with a message for the user."""


def say(text: str) -> None:
    """Prints one line of progress on stderr."""
    print(f"tfcarve: {text}", file=sys.stderr, flush=True)
