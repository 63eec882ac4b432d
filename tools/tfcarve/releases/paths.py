"""Checks that a TensorFlow tree has the paths that its release's data names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.releases.release import Release


class ReleaseMismatch(InvalidInput):
    """The tree lacks a path that the release's data names."""


def check_paths(root: Path, release: Release, *, protos: bool = True) -> None:
    """Checks all paths in release.toml.

    Args:
      root: the tree.
      release: its release.
      protos: check .proto files as well; builds do not give the index the tree's protos.

    Raises:
      ReleaseMismatch: the tree lacks a path; the message names each one and the list that it is in.
    """
    files = {
        name: [path for path in paths if protos or not path.endswith(".proto")]
        for name, paths in _files(release).items()
    }
    _require(root, release, files, _folders(release))


def check_core_paths(root: Path, release: Release) -> None:
    """Checks the sources that the core's definition names; raises ReleaseMismatch as check_paths does."""
    files = _files(release)
    _require(root, release, {name: files[name] for name in _CORE_FILES}, {})


def named(release: Release) -> dict[str, Iterable[str]]:
    """Returns the files and folders that release.toml names, by list."""
    return {**_files(release), **_folders(release)}


_CORE_FILES = ("core.platform_sources", "core.on_demand", "core.always")


def _files(release: Release) -> dict[str, Iterable[str]]:
    """Returns the files that release.toml names, by list."""
    units, overrides = release.units, release.overrides
    return {
        "index.types_files": release.index.types_files,
        "index.constant_files": release.index.constant_files,
        "core.platform_sources": release.core.platform_sources,
        "core.on_demand": sorted(release.on_demand),
        "core.always": release.core.always,
        "units.c_api_sources": units.c_api_sources,
        "units.with_environment": [p for p in units.with_environment if p.endswith(".cc")],
        "units.not_helpers": units.not_helpers,
        "units.excluded_sources": units.excluded_sources,
        "units.libraries": units.libraries,
        **{f"interfaces.{name}": paths for name, paths in release.interfaces.by_name.items()},
        "overrides.core": [override.path for override in overrides.core],
        "overrides.kernels": [override.path for override in overrides.kernels],
        "overrides.headers": [override.path for override in overrides.headers],
        "overrides.kernels.drops": [path for one in overrides.kernels for path in one.drops],
        "overrides.kernels.unneeded": [path for one in overrides.kernels for path in one.unneeded],
        "overrides.headers.drops": [path for one in overrides.headers for path in one.drops],
    }


def _folders(release: Release) -> dict[str, Iterable[str]]:
    """Returns the folders that release.toml names, by list."""
    return {
        "tree.roots": release.tree.roots,
        "tree.tsl": [release.tree.tsl],
        "tree.include_prefixes": release.tree.include_prefixes,
        "tree.repositories": release.tree.repositories.values(),
        "index.skipped": release.index.skipped,
        "core.excluded": release.core.excluded,
        "core.mobile_folders": release.core.mobile_folders,
        "core.proto_roots": release.core.proto_roots,
        "units.folders": release.units.folders,
        "units.helper_folders": release.units.helper_folders,
        "units.searched_folders": release.units.searched_folders,
        "units.c_api_kernels": [release.units.c_api_kernels],
        "units.with_environment": [
            path for path in release.units.with_environment if not path.endswith(".cc")
        ],
        "units.excluded_folders": release.units.excluded_folders,
    }


def _require(
    root: Path,
    release: Release,
    files: Mapping[str, Iterable[str]],
    folders: Mapping[str, Iterable[str]],
) -> None:
    absent = [
        *(
            f"{p} ({name})"
            for name, paths in files.items()
            for p in paths
            if not (root / p).is_file()
        ),
        *(
            f"{p} ({name})"
            for name, paths in folders.items()
            for p in paths
            if not (root / p).is_dir()
        ),
    ]
    if absent:
        raise ReleaseMismatch(
            f"{root}: no such file or folder: {', '.join(absent)}: {release.file('release.toml')} names them: "
            f"correct the data, or use a complete source tree of TensorFlow {release.version}"
        )
