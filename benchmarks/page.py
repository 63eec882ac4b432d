"""The head of a page of results."""

from __future__ import annotations

import datetime


def head(title: str, command: str, machine: str, conditions: str = "") -> str:
    """Returns the head as Markdown.

    Args:
      title: of the page.
      command: that measures and writes the page.
      machine: from measure.machine().
      conditions: further sentences about how it was measured.
    """
    measured = f"Measured on {datetime.date.today().isoformat()}: {machine}. {conditions}".rstrip()
    return f"# {title}\n\n{measured}\n\n    {command}\n"
