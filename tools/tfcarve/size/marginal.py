"""Marginal sizes: what a library saves without an op, a class, a data type or a model."""

from collections.abc import Mapping

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.size.report import Measure, require_all_measures


class MarginalSize(JsonDocument, frozen=True):
    """The marginal size of a target.

    Attributes:
      target: what was removed.
      saved: bytes by measure.
      dropped: sources whose unit is no longer linked.
      recompiled: sources whose unit was recompiled with fewer registrations.
      kept: sources whose unit has something to lose but was linked unchanged.
      exact: whether every unit is as a build without the target would compile it; if not, `saved` is a lower bound.
    """

    target: str
    saved: Mapping[Measure, int]
    dropped: tuple[str, ...]
    recompiled: tuple[str, ...]
    kept: tuple[str, ...]
    exact: bool

    def __post_init__(self) -> None:
        require_all_measures(self.saved, "saved")
        if self.exact == bool(self.kept):
            raise ValueError("exact: it is true if and only if `kept` is empty")


def parse(data: bytes, where: str) -> tuple[MarginalSize, ...]:
    """Reads what `tfcarve size-marginal --json` prints.

    Args:
      data: the file's content.
      where: its name, for messages.

    Raises:
      InvalidInput: it is something else.
    """
    try:
        return json_codec.decode(data, tuple[MarginalSize, ...], where)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected marginal sizes, which `tfcarve size-marginal --json` prints"
        ) from None
