"""TensorFlow's environment (`Env`): the files, threads and times that some kernels ask their device for."""

from tfcarve.releases.release import FOLDERS, Release
from tfcarve.selection.selection import Selection


def is_needed(selection: Selection, release: Release) -> bool:
    """Returns whether a kernel of a library may ask its device for the environment. A custom op may."""
    return any(
        not source.startswith(FOLDERS) or source.startswith(release.units.with_environment)
        for source in (*selection.files, *selection.helpers)
    )
