"""The two ways in which a command ends without having done what was asked."""

from collections.abc import Iterable
from dataclasses import dataclass


class TfcarveError(Exception):
    """A message for the user, with the exit status that goes with it."""

    exit_status = 2


class InvalidInput(TfcarveError):
    """The input or the use is wrong: exit status 2."""


@dataclass(frozen=True)
class Problem:
    """One thing that is missing, and who asked for it."""

    what: str
    needed_by: tuple[str, ...] = ()
    hint: str = ""

    def text(self) -> str:
        """Returns the problem as lines, the first one unindented."""
        lines = [self.what]
        lines += [f"    needed by {who}" for who in self.needed_by]
        if self.hint:
            lines.append(f"    {self.hint}")
        return "\n".join(lines)


class CheckFailed(TfcarveError):
    """The question was understood and the answer is no: exit status 1.

    Holds every problem at once, so that one run shows all there is to mend.
    """

    exit_status = 1

    def __init__(self, summary: str, problems: Iterable[Problem]) -> None:
        self.summary = summary
        self.problems = tuple(problems)
        super().__init__("\n".join([summary, *(f"  {p.text()}" for p in self.problems)]))
