"""Which other sources a unit needs to link."""

from collections.abc import Iterable
from pathlib import Path

from tfcarve.build_files import helpers
from tfcarve.build_files.core import CoreSourcesError, core_sources


def helper_sources(tensorflow: Path, units: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Returns, for each of the sources `units` that needs any, the helper sources in order.

    Helpers are never part of the core. TensorFlow 1.x and older 2.x do not say what their core is:
    there, no helpers are told.
    """
    try:
        core = core_sources(tensorflow)
    except CoreSourcesError:
        return {}
    registering = frozenset(units)
    return helpers.helper_sources(tensorflow, sorted(registering), registering, core)
