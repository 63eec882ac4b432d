"""The core: the sources of TensorFlow's runtime that every carved library contains."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.build_files import sources
from tfcarve.build_files.sources import Sources
from tfcarve.build_files.tree import BuildTree, parse_label
from tfcarve.releases.paths import ReleaseMismatch, check_core_paths, check_paths
from tfcarve.releases.release import Release

# A static object at the start of a line that registers something. An object file with one is lost in an archive,
# because no other object refers to it by name.
_REGISTERS = re.compile(r"^(?:REGISTER_\w+\(|static \w*Registrar \w+;)", re.MULTILINE)
_IMPORT = re.compile(r'^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"', re.MULTILINE)
_GENERATED_HEADER = re.compile(r"\.(?:pb|pb_text|grpc\.pb)\.h$")


@dataclass(frozen=True)
class Core:
    """Paths from the tree's root, each tuple sorted."""

    sources: tuple[str, ...]
    registering_sources: tuple[str, ...]
    headers: tuple[str, ...]
    protos: tuple[str, ...]
    interface_headers: tuple[str, ...]
    unit_headers: tuple[str, ...]
    unit_sources: tuple[str, ...]


def core_sources(tree: BuildTree, release: Release) -> frozenset[str]:
    """Returns the C++ sources of the core, as paths from the tree's root.

    Raises:
      ReleaseMismatch: the tree lacks the filegroup of the mobile build, or a source that the release names.
      BuildFileError: a BUILD file cannot be read.
    """
    chosen = {
        f
        for f in _mobile_sources(tree, release)
        if f.endswith(".cc") and not f.startswith(release.core.excluded)
    }
    check_core_paths(tree.root, release)
    return frozenset((chosen - release.on_demand) | set(release.core.platform_sources))


def c_api_sources(tree: BuildTree, release: Release) -> frozenset[str]:
    """Returns the C API of the mobile build, which kernels that are written against TensorFlow's C API link."""
    files = _mobile_sources(tree, release)
    own = {f for f in files if f.startswith("tensorflow/c/") and "/eager/" not in f}
    return frozenset(f for f in own | set(release.units.c_api_sources) if f.endswith(".cc"))


def _mobile_sources(tree: BuildTree, release: Release) -> list[str]:
    label = parse_label(release.core.target, "", {})
    files = tree.filegroup(label) if label else []
    if not files:
        raise ReleaseMismatch(
            f"{tree.root}: {release.core.target} has no files; is this the root of a TensorFlow {release.name} source tree?"
        )
    return files


def core_of(root: Path, release: Release) -> Core:
    """Returns the core of a TensorFlow source tree.

    The headers and protos are the ones that the sources of the core and the on-demand sources include, directly or not. Raises the errors of core_sources, and
    ReleaseMismatch if the tree lacks any path that the release names.
    """
    check_paths(root, release)
    tree = BuildTree(root, release.tree.repositories)
    chosen = core_sources(tree, release)
    registering = {f for f in chosen if _REGISTERS.search(_text(root / f))}
    files = sources.below(root)
    headers, protos = _included(root, files, chosen | release.on_demand)
    units = _sources_below(root, release.units.folders, release)
    helpers = _sources_below(root, release.units.helper_folders, release) | c_api_sources(
        tree, release
    )
    _, unit_protos = _included(root, files, units)
    unit_headers, _ = _included(root, files, units | helpers)
    interfaces = {path for paths in release.interfaces.by_name.values() for path in paths}
    interface_headers, _ = _included(root, files, interfaces)
    compiled = _compilable_protos(root, protos | unit_protos, release.core.proto_roots)
    return Core(
        sources=tuple(sorted(chosen - registering)),
        registering_sources=tuple(sorted(registering)),
        headers=tuple(sorted(headers)),
        protos=tuple(sorted(compiled)),
        interface_headers=tuple(sorted(interface_headers - headers)),
        unit_headers=tuple(sorted(unit_headers - headers)),
        unit_sources=tuple(sorted((units | helpers) - chosen)),
    )


def _sources_below(root: Path, folders: Iterable[str], release: Release) -> set[str]:
    found = (p for f in folders for p in (root / f).rglob("*.cc"))
    not_for_cpu = release.units.not_for_cpu
    return {str(p.relative_to(root)) for p in found if not p.name.endswith(not_for_cpu)}


def _included(root: Path, files: Sources, paths: Iterable[str]) -> tuple[set[str], set[str]]:
    """(headers, protos) of the tree that the files at `paths` include, directly or not."""
    names = files.closure(paths)
    protos = {_GENERATED_HEADER.sub(".proto", n) for n in names if _GENERATED_HEADER.search(n)}
    return {n for n in names if (root / n).is_file()}, protos


def _compilable_protos(root: Path, protos: Iterable[str], roots: tuple[str, ...]) -> set[str]:
    """The protos and their imports in `roots`, without protos with services and protos that import one outside the result."""
    imports: dict[str, list[str]] = {}
    todo = list(protos)
    while todo:
        name = todo.pop()
        if name not in imports and name.startswith(roots) and (root / name).is_file():
            imports[name] = _IMPORT.findall(_text(root / name))
            todo.extend(imports[name])
    kept = {n for n in imports if not re.search(r"^service ", _text(root / n), re.MULTILINE)}
    while True:
        broken = {
            n
            for n in kept
            if any(i not in kept and not i.startswith("google/protobuf/") for i in imports[n])
        }
        if not broken:
            return kept
        kept -= broken


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
