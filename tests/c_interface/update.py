"""Writes the module with the declarations of the C interface for the Python client.

    PYTHONPATH=tests python -m c_interface.update

in the repository's root, after a change of the header.
"""

from __future__ import annotations

from pathlib import Path

from c_interface import client, header

MODULE = Path("tools/tfcarve/client/c_interface.py")


def main() -> None:
    """Writes the module."""
    MODULE.write_text(client.module(header.read()), encoding="utf-8")


if __name__ == "__main__":
    main()
