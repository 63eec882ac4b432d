"""core.bzl: the lists of a release's sources for Bazel, generated from release.toml and the tree's BUILD files.

`./bazelw run //third_party/tensorflow/releases/<name>:update` writes it and a test compares it with the tree, so a review of
a new release shows which sources changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from tfcarve.build_files.core import Core
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import Release
from tfcarve.runtime_sources.optional_sources import OptionalSources

_PROTO = ".pb.cc"


def core_bzl(release: Release, core: Core, optional: OptionalSources) -> str:
    """Returns the text of core.bzl.

    Raises:
      ReleaseMismatch: an optional source is not part of the tree's runtime.
    """
    paths = [source.path for source in optional.sources]
    protos = [p.removesuffix(_PROTO) + ".proto" for p in paths if p.endswith(_PROTO)]
    sources = [p for p in paths if not p.endswith(_PROTO)]
    ours = {path for path in (*sources, *protos) if path.startswith("tensorflow/")}
    unknown = sorted(ours.difference(core.sources, core.protos))
    if unknown:
        raise ReleaseMismatch(
            f"{', '.join(unknown)}: optional sources of {release.name}, but not in its core: update the optional sources"
        )
    replaced = [override.path for override in release.overrides.core]
    lists: dict[str, Iterable[str]] = {
        "DEFINES": release.defines,
        "OPTIONAL_PROTOS": protos,
        "OPTIONAL_SOURCES": sources,
        "OVERRIDDEN_SOURCES": [path for path in replaced if path.endswith(".cc")],
        "OVERRIDDEN_PROTOS": [path for path in replaced if path.endswith(".proto")],
        "ADDED_KERNELS": [added.path for added in release.overrides.added],
    }
    for field in dataclasses.fields(core):
        name = field.name.upper()
        is_whole = name.startswith(("INTERFACE_", "UNIT_"))
        lists[name if is_whole else f"CORE_{name}"] = getattr(core, field.name)
    for interface, of_interface in release.interfaces.by_name.items():
        lists[f"{interface.upper()}_SOURCES"] = of_interface
    head = f'"""TensorFlow {release.name} for Bazel: generated from release.toml and TensorFlow\'s BUILD files."""\n'
    return "".join([head, f'\nVERSION = "{release.version}"\n', *map(_list, lists, lists.values())])


def _list(name: str, values: Iterable[str]) -> str:
    lines = "".join(f'    "{value}",\n' for value in values)
    return f"\n{name} = [\n{lines}]\n"
