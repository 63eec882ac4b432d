"""Which of TensorFlow's sources can be in a carved library, and why others cannot. Pure."""

import functools

from tfcarve.releases.release import Release

_TREE = "tensorflow/"
# A folder with kernels and ops of TensorFlow 1.
_CONTRIB = "tensorflow/contrib/"
_OTHER = "it is not a kernel source but part of the core, which is compiled without a selection"


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
