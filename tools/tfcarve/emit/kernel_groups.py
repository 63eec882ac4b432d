"""What TensorFlow's own filegroups of kernels for Android lack, as a fragment of a BUILD file.

Up to 2.2 the filegroups are called android_extended_ops_group1, …_group2 and …_headers, later
portable_extended_ops_…. The op definitions need no entry: TensorFlow takes all of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.build_files.sources import below
from tfcarve.build_files.tree import BuildTree, Label
from tfcarve.emit.op_files import needed
from tfcarve.emit.templates import fill
from tfcarve.errors import InvalidInput
from tfcarve.selection.selection import Selection

_PACKAGE = "tensorflow/core/kernels"
_KERNELS = (f"{_PACKAGE}/", "tensorflow/c/kernels/")
_OP_DEFINITIONS = ("tensorflow/core/ops/", "tensorflow/c/kernels/ops/")
_PREFIXES = ("portable", "android")


@dataclass(frozen=True)
class Group:
    """A filegroup of the package and the labels that it lacks, sorted."""

    name: str
    entries: tuple[str, ...]


def kernel_groups(selection: Selection, root: Path) -> bytes:
    """Returns a BUILD fragment with what the tree at `root` lacks for `selection`; nothing where it lacks nothing.

    Raises InvalidInput where the tree has no such filegroups, BuildFileError where its BUILD file
    cannot be read.
    """
    return fill(
        "kernel_groups.BUILD.j2",
        package=_PACKAGE,
        version=selection.tensorflow.version,
        groups=_missing(needed(selection), root),
    )


def _missing(files: Iterable[str], root: Path) -> list[Group]:
    tree = BuildTree(root)
    prefix = next((p for p in _PREFIXES if f"{p}_extended_ops_group2" in tree.rules(_PACKAGE)), "")
    if not prefix:
        raise InvalidInput(
            f"{root}: {_PACKAGE}/BUILD has no filegroup {' or '.join(f'{p}_extended_ops_group2' for p in _PREFIXES)}: "
            "was the root of a TensorFlow source tree given?"
        )
    there: set[str] = set()
    for name in ("core_ops", "extended_ops", "extended_ops_headers"):
        there |= set(tree.filegroup(Label(_PACKAGE, f"{prefix}_{name}")))
    for package in (_PACKAGE, "tensorflow/core"):  # what every mobile build has anyhow
        there |= set(tree.filegroup(Label(package, "mobile_srcs")))
    sources = {f for f in files if f.startswith("tensorflow/")} - there
    sources = {f for f in sources if not f.startswith(_OP_DEFINITIONS)}
    included = below(root).closure(sources) - there
    headers = {h for h in included if h.startswith(_KERNELS) and (root / h).is_file()}
    groups = (
        Group(f"{prefix}_extended_ops_headers", _labels(headers, tree)),
        Group(f"{prefix}_extended_ops_group2", _labels(sources, tree)),
    )
    return [group for group in groups if group.entries]


def _labels(files: Iterable[str], tree: BuildTree) -> tuple[str, ...]:
    """Returns files as the labels that the package's BUILD file calls them by, its own first."""
    labels = []
    for file in files:
        package = str(Path(file).parent)
        while package != "." and not tree.rules(package):
            package = str(Path(package).parent)
        name = file.removeprefix(f"{package}/")
        labels.append(name if package == _PACKAGE else f"//{package}:{name}")
    return tuple(sorted(labels, key=lambda label: (label.startswith("//"), label)))
