"""Which of TensorFlow's sources can be part of a carved library, and why the others cannot. Pure."""

import functools

from tfcarve.releases.release import Release

_TREE = "tensorflow/"
# Where kernels and ops are in trees of TensorFlow 1 too.
_CONTRIB = "tensorflow/contrib/"
_OTHER = "it is not a kernel source of its own: what it belongs to is compiled for all models"


@functools.cache  # called for each node
def why_not(file: str, release: Release) -> str:
    """Returns why the source `file`, relative to the tree, cannot be in a library; empty if it can.

    The source of a custom op, which is outside the tree, always can.
    """
    units = release.units
    if file in units.excluded_sources:
        return units.excluded_sources[file]
    folders = tuple(f"{folder}/" for folder in units.folders)
    if not file.startswith((*folders, _CONTRIB)) and file.startswith(_TREE):
        if file in release.on_demand:
            return ""
        reasons = (why for folder, why in units.excluded_folders.items() if file.startswith(folder))
        return next(reasons, _OTHER)
    return ""
