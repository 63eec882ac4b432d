"""Errors that end a command with a message and an exit status."""

from collections.abc import Iterable
from dataclasses import dataclass


class TfcarveError(Exception):
    """A message for the user, with its exit status."""

    exit_status = 2


class InvalidInput(TfcarveError):
    """The input or the command line is invalid: exit status 2."""


class InternalError(TfcarveError):
    """tfcarve itself has an error: exit status 3; nothing was written."""

    exit_status = 3


@dataclass(frozen=True)
class Problem:
    """One fault, with the nodes or the place that it concerns, and a hint how to correct it."""

    what: str
    needed_by: tuple[str, ...] = ()
    hint: str = ""
    places: tuple[str, ...] = ()

    def text(self) -> str:
        """Returns the problem as lines, the first one unindented."""
        lines = [self.what]
        lines += [f"    needed by {who}" for who in self.needed_by]
        lines += [f"    in {place}" for place in self.places]
        if self.hint:
            lines.append(f"    {self.hint}")
        return "\n".join(lines)


class CheckFailed(TfcarveError):
    """The input is valid and the check failed: exit status 1.

    Contains all problems, so that one run shows everything that must be fixed.
    """

    exit_status = 1

    def __init__(self, summary: str, problems: Iterable[Problem]) -> None:
        self.summary = summary
        self.problems = tuple(problems)
        super().__init__("\n".join([summary, *(f"  {p.text()}" for p in self.problems)]))
