"""The committed sizes that a budget compares with, and waivers: the file that tf_size_test keeps in the repository."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.size.compare import summary
from tfcarve.size.report import MEASURES, Measure, Report

VERSION: Literal[1] = 1


class Waiver(JsonDocument, frozen=True):
    """Allows a measure of a platform to be up to `limit` bytes, until a day inclusive, for a reason."""

    platform: str
    measure: Measure
    limit: int
    reason: str
    until: datetime.date

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"the waiver for {self.platform} {self.measure} has no reason")


class Committed(JsonDocument, frozen=True, kw_only=True):
    """The committed file.

    Attributes:
      version: VERSION.
      waivers: exceptions.
      reports: the report of each platform, without symbols.
    """

    version: Literal[1]
    waivers: tuple[Waiver, ...] = ()
    reports: Mapping[str, Report] = msgspec.field(name="platforms", default_factory=dict)


NONE = Committed(version=VERSION)


def parse(data: bytes, where: str) -> Committed:
    """Reads the committed file.

    Args:
      data: the file's content.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no committed file of VERSION.
    """
    try:
        return json_codec.decode(data, Committed, where)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected the file that `tfcarve size-check --update` writes, with waivers of "
            f"platform, measure ({', '.join(MEASURES)}), limit, reason and until (2026-12-31)"
        ) from None


def updated(committed: Committed, reports: Sequence[Report], today: datetime.date) -> bytes:
    """Returns the committed file for the current reports, without expired waivers."""
    platforms = {**committed.reports, **{r.platform: summary(r) for r in reports}}
    return json_codec.encode(
        Committed(
            version=VERSION,
            waivers=tuple(w for w in committed.waivers if today <= w.until),
            reports=platforms,
        )
    )


def delta_line(committed: Committed, reports: Sequence[Report]) -> str:
    """Returns a line for the commit message: what an update changes."""
    parts = []
    for report in sorted(reports, key=lambda r: r.platform):
        old = committed.reports.get(report.platform)
        figures = [
            f"{measure} {report.sizes[measure]:,}"
            + (f" ({report.sizes[measure] - old.sizes[measure]:+,})" if old else "")
            for measure in MEASURES
        ]
        parts.append(f"{report.platform} {', '.join(figures)}")
    return "Size: " + "; ".join(parts)
