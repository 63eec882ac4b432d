"""A release for the small trees that tests write: it names no single source, so that a tree of a few files is whole."""

import dataclasses

import msgspec

from tfcarve.releases import known
from tfcarve.releases.release import Release


def small_release() -> Release:
    """Returns the default release without the sources that it names one by one."""
    release = known.release()
    return dataclasses.replace(
        release,
        core=msgspec.structs.replace(release.core, platform_sources=(), on_demand=()),
        units=msgspec.structs.replace(release.units, c_api_sources=()),
    )
