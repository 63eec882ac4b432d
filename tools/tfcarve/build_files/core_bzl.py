"""core.bzl: the lists of a release's sources for Bazel, generated from release.toml and the tree's BUILD files.

`./bazelw run //third_party/tensorflow/releases/<name>:update` writes it and a test compares it with the tree, so a review of
a new release shows which sources changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from tfcarve.build_files.core import Core
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import FOLDERS, Release
from tfcarve.runtime_sources.optional_sources import (
    ENVIRONMENT,
    SHAPE_FUNCTIONS,
    OptionalSources,
    in_session,
    part,
)

_PROTO = ".pb.cc"


def core_bzl(release: Release, core: Core, optional: OptionalSources) -> str:
    """Returns the text of core.bzl.

    Raises:
      ReleaseMismatch: an optional source is not part of the tree's runtime.
    """
    sources, protos = _divided(source.path for source in optional.sources)
    session_sources, session_protos = _divided(sorted(in_session(optional)))
    ours = {path for path in (*sources, *protos) if path.startswith(FOLDERS)}
    unknown = sorted(ours.difference(core.sources, core.registering_sources, core.protos))
    if unknown:
        raise ReleaseMismatch(
            f"{', '.join(unknown)}: optional sources of {release.name}, but not in its core: update the optional sources"
        )
    replaced = [override.path for override in release.overrides.core]
    lists: dict[str, Iterable[str]] = {
        "added_kernels": [added.path for added in release.overrides.added],
        "defines": release.defines,
        "environment_sources": part(optional, ENVIRONMENT),
        "optional_protos": protos,
        "optional_sources": sources,
        "overridden_protos": [path for path in replaced if path.endswith(".proto")],
        "own_overrides": [override.path for override in release.overrides.core if override.own],
        "overridden_sources": [path for path in replaced if path.endswith(".cc")],
        "roots": release.tree.roots,
        "session_protos": session_protos,
        "session_sources": session_sources,
        "shape_function_sources": part(optional, SHAPE_FUNCTIONS),
    }
    for field in dataclasses.fields(core):
        is_whole = field.name.startswith(("interface_", "unit_"))
        lists[field.name if is_whole else f"core_{field.name}"] = getattr(core, field.name)
    for interface, of_interface in release.interfaces.by_name.items():
        lists[f"{interface}_sources"] = of_interface
    texts = {name: _list(values) for name, values in lists.items()}
    texts |= {"tsl": f'"{release.tree.tsl}"', "version": f'"{release.version}"'}
    fields = "".join(f"    {name} = {texts[name]},\n" for name in sorted(texts))
    head = f'"""TensorFlow {release.name} for Bazel: generated from release.toml and TensorFlow\'s BUILD files."""\n'
    return f"{head}\nSOURCES = struct(\n{fields})\n"


def _divided(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Returns the sources, and the protos of the generated sources."""
    sources, protos = [], []
    for path in paths:
        if path.endswith(_PROTO):
            protos.append(path.removesuffix(_PROTO) + ".proto")
        else:
            sources.append(path)
    return sources, protos


def _list(values: Iterable[str]) -> str:
    lines = [f'        "{value}",\n' for value in values]
    return "".join(["[\n", *lines, "    ]"]) if lines else "[]"
