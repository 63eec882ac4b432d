"""Which other sources a unit needs to link."""

from collections.abc import Iterable
from pathlib import Path


def helper_sources(tensorflow: Path, units: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Returns, for each of the sources `units` that needs any, the helper sources in order.

    Helpers register nothing themselves and are not part of the core.
    """
    del tensorflow, units
    return {}
