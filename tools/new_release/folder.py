"""Writes the folder of a new release from that of an older one."""

from __future__ import annotations

import ast
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from new_release.places import Place
from new_release.tree import Tree
from tfcarve.build_files.core import core_of
from tfcarve.build_files.core_bzl import core_bzl
from tfcarve.releases import release as releases
from tfcarve.releases.release import Release
from tfcarve.runtime_sources.optional_sources import OptionalSources

# Made from the tree by other programs.
GENERATED = ("core.bzl", "newer_ops.json", "optional_sources.json", "output_types.json")
_TSL = "tsl"
_ARCHIVE = "https://github.com/tensorflow/tensorflow/archive/refs/tags/v{version}.tar.gz"


def write(
    older: Release, tree: Tree, places: Iterable[Place], sha256: str, folder: Path
) -> frozenset[str]:
    """Writes the folder, with core.bzl and without the other generated files.

    No source of the runtime is optional yet: the core contains all.

    Args:
      older: the release whose folder is copied.
      tree: of the new release.
      places: where the paths of the older release's data are.
      sha256: of the new release's source archive; "": not known.
      folder: does not exist yet; nothing of it is left after an error.

    Returns:
      the sources of its core that register something.

    Raises:
      InvalidInput: as core_of.
    """
    found = list(places)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        # The data of a release know its name by the folder.
        own = partial / tree.name
        _copy(older, tree, found, sha256, own)
        core = _write_core(tree, own)
        own.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return core


def registering(older: Release) -> list[str]:
    """Returns the sources of a release's core that register something, from its core.bzl."""
    text = older.file("core.bzl").read_text(encoding="utf-8")
    found = re.search(
        r"^    core_registering_sources = (\[.*?\]),$", text, re.MULTILINE | re.DOTALL
    )
    return list(ast.literal_eval(found[1])) if found else []


def _copy(older: Release, tree: Tree, places: list[Place], sha256: str, own: Path) -> None:
    names = {place.old: place.new for place in places}
    for file in sorted(f for f in older.folder.rglob("*") if f.is_file()):
        relative = file.relative_to(older.folder)
        if relative.name in GENERATED:
            continue
        target = own / _moved_override(relative, names)
        target.parent.mkdir(parents=True, exist_ok=True)
        if relative.name == "pins.json":
            target.write_text(_pins(file, tree, sha256), encoding="utf-8")
        elif relative.name == "release.toml":
            target.write_text(_release_toml(file, older, tree, names), encoding="utf-8")
        elif relative.name in ("BUILD", "tensorflow.BUILD"):
            text = file.read_text(encoding="utf-8")
            text = text.replace(f'"{older.name}"', f'"{tree.name}"')
            target.write_text(text.replace(f"/{older.name}:", f"/{tree.name}:"), encoding="utf-8")
        else:
            shutil.copyfile(file, target)


def _moved_override(relative: Path, names: Mapping[str, str | None]) -> Path:
    """The place of an override that only the older release has."""
    kind, _, path = relative.as_posix().removeprefix("overrides/").partition("/")
    moved = names.get(path)
    return (
        Path("overrides", kind, moved) if relative.parts[0] == "overrides" and moved else relative
    )


def _release_toml(file: Path, older: Release, tree: Tree, names: Mapping[str, str | None]) -> str:
    text = file.read_text(encoding="utf-8")
    text = text.replace(f'version = "{older.version}"', f'version = "{tree.version}"')
    text = text.replace(f"TensorFlow {older.name}:", f"TensorFlow {tree.name}:")
    text = text.replace(f"releases/{older.name}:", f"releases/{tree.name}:")
    text = text.replace("is_proved = true", "is_proved = false")
    for old, new in names.items():
        if new is None:
            # An element of a list on a line of its own.
            text = re.sub(rf'^    "{re.escape(old)}",\n', "", text, flags=re.MULTILINE)
        elif new != old:
            text = text.replace(f'"{old}"', f'"{new}"')
    return _with_libraries(text, older, tree)


def _with_libraries(text: str, older: Release, tree: Tree) -> str:
    """Adds TSL and XLA to the layout of a release that has them outside of TensorFlow's folder."""
    folders = [folder for folder in tree.moved.values() if folder == _TSL]
    roots = [*older.tree.roots, *(f for f in folders if f not in older.tree.roots)]
    quoted = [", ".join(f'"{root}"' for root in found) for found in (older.tree.roots, roots)]
    text = text.replace(f"roots = [{quoted[0]}]", f"roots = [{quoted[1]}]")
    # BUILD files name their sources by labels of these repositories.
    new = [f"local_{f}" for f in tree.moved.values() if f"local_{f}" not in older.tree.repositories]
    head = "[tree.repositories]\n"
    return text.replace(head, head + "".join(f'{name} = ""\n' for name in new))


def _pins(file: Path, tree: Tree, sha256: str) -> str:
    pins: dict[str, Any] = json.loads(file.read_bytes())
    archive = {
        "urls": [_ARCHIVE.format(version=tree.version)],
        "sha256": sha256,
        "strip_prefix": f"tensorflow-{tree.version}",
    }
    own: dict[str, Any] = {"version": tree.version, "upstream": archive}
    if tree.moved:
        own["moved"] = dict(tree.moved)
    return json.dumps({**pins, "tensorflow": own}, indent=2) + "\n"


def _write_core(tree: Tree, own: Path) -> frozenset[str]:
    """Writes core.bzl; returns the sources that register something."""
    release = releases.read(own)
    with _as_built(tree) as root:
        core = core_of(root, release)
    text = core_bzl(release, core, OptionalSources(()))
    (own / "core.bzl").write_text(text, encoding="utf-8")
    return frozenset(core.registering_sources)


@contextmanager
def _as_built(tree: Tree) -> Iterator[Path]:
    """Yields a folder with the tree as the build sees it: links to its files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, file in tree.files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file.resolve())
        yield root
