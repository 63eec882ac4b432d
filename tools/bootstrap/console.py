"""What the bootstrap says, and how it fails."""

from __future__ import annotations

import sys


class BootstrapError(Exception):
    """Something that the user has to know, told in one message."""


def say(text: str) -> None:
    """Prints one line of progress on stderr."""
    print(f"tfcarve: {text}", file=sys.stderr, flush=True)
