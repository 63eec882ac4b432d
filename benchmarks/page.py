"""The pages of results: their folder and their head."""

from __future__ import annotations

import datetime
from pathlib import Path

RESULTS = Path(__file__).with_name("results")


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
