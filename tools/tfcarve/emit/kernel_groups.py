"""BUILD fragment with the sources that TensorFlow's filegroups of mobile kernels lack.

Up to TensorFlow 2.2 the filegroups are android_extended_ops_group1, …_group2 and …_headers, later
portable_extended_ops_…. Op definitions need no entry: TensorFlow's mobile build compiles all of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.build_files.sources import below
from tfcarve.build_files.tree import BuildTree, Label
from tfcarve.emit.op_files import needed
from tfcarve.emit.templates import fill
from tfcarve.errors import InvalidInput
from tfcarve.releases.release import FOLDERS, Release
from tfcarve.selection.selection import Selection

_PACKAGE = "tensorflow/core/kernels"
_KERNELS = (f"{_PACKAGE}/", "tensorflow/c/kernels/")
_OP_DEFINITIONS = ("tensorflow/core/ops/", "tensorflow/c/kernels/ops/")
_PREFIXES = ("portable", "android")


@dataclass(frozen=True)
class Group:
    """A filegroup of the package, and the labels to add to it, sorted."""

    name: str
    entries: tuple[str, ...]


def kernel_groups(selection: Selection, release: Release, root: Path) -> bytes:
    """Returns a BUILD fragment with the sources that a tree's filegroups lack; empty: they lack none.

    Args:
      selection: the ops and kernels that are needed.
      release: the release of the selection.
      root: the root of a TensorFlow source tree.

    Raises:
      InvalidInput: the tree does not have these filegroups.
      BuildFileError: a BUILD file cannot be read.
    """
    return fill(
        "kernel_groups.BUILD.j2",
        package=_PACKAGE,
        version=selection.tensorflow.version,
        groups=_missing(needed(selection, release), root),
    )


def _missing(files: Iterable[str], root: Path) -> list[Group]:
    tree = BuildTree(root)
    prefix = next((p for p in _PREFIXES if f"{p}_extended_ops_group2" in tree.rules(_PACKAGE)), "")
    if not prefix:
        raise InvalidInput(
            f"{root}: {_PACKAGE}/BUILD has no filegroup {' or '.join(f'{p}_extended_ops_group2' for p in _PREFIXES)}: "
            "is this the root of a TensorFlow source tree?"
        )
    listed: set[str] = set()
    for name in ("core_ops", "extended_ops", "extended_ops_headers"):
        listed |= set(tree.filegroup(Label(_PACKAGE, f"{prefix}_{name}")))
    for package in (_PACKAGE, "tensorflow/core"):  # part of every mobile build
        listed |= set(tree.filegroup(Label(package, "mobile_srcs")))
    sources = {f for f in files if f.startswith(FOLDERS)} - listed
    sources = {f for f in sources if not f.startswith(_OP_DEFINITIONS)}
    included = below(root).closure(sources) - listed
    headers = {h for h in included if h.startswith(_KERNELS) and (root / h).is_file()}
    groups = (
        Group(f"{prefix}_extended_ops_headers", _labels(headers, tree)),
        Group(f"{prefix}_extended_ops_group2", _labels(sources, tree)),
    )
    return [group for group in groups if group.entries]


def _labels(files: Iterable[str], tree: BuildTree) -> tuple[str, ...]:
    """Returns the labels of files as seen from the package, sorted, with the package's own first."""
    labels = []
    for file in files:
        package = str(Path(file).parent)
        while package != "." and not tree.rules(package):
            package = str(Path(package).parent)
        name = file.removeprefix(f"{package}/")
        labels.append(name if package == _PACKAGE else f"//{package}:{name}")
    return tuple(sorted(labels, key=lambda label: (label.startswith("//"), label)))
