"""Finds helper sources: the sources that a kernel source needs to link.

TensorFlow's BUILD targets are too coarse: a target such as cwise_op contains a hundred sources, and most targets depend on
whole libraries. Candidates are therefore the sources of targets that contain the kernel source or a header that it
includes, and only candidates that define a name which the kernel source uses are helper sources.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

from tfcarve.build_files.core import c_api_sources
from tfcarve.build_files.evaluate import Rule
from tfcarve.build_files.sources import Sources
from tfcarve.build_files.tree import BUILD_FILE_NAMES, BuildTree, Label, parse_label
from tfcarve.releases.release import Release

# segment_reduction_ops_impl_1.cc and others share segment_reduction_ops_impl.h.
_NUMBER = re.compile(r"_\d+\.cc$")


def helper_sources(
    tree: BuildTree,
    release: Release,
    sources: Sources,
    units: Iterable[str],
    registering: Set[str],
    core: Set[str],
) -> dict[str, tuple[str, ...]]:
    """Returns the helper sources of each source that needs any, sorted.

    Args:
      tree: the BUILD files.
      release: the tree's TensorFlow release.
      sources: the C++ sources of the tree.
      units: the sources whose helper sources are needed. All paths are relative to the tree's root.
      registering: all sources that register something.
      core: the sources of the core.

    Raises:
      BuildFileError: a BUILD file cannot be read.
    """
    search = _Search(tree, release, sources, registering, core)

    @functools.cache
    def c_api() -> dict[str, str]:
        """Returns the sources of the C API without its sessions, by header."""
        found = (s for s in c_api_sources(tree, release) if not Path(s).name.startswith("c_api"))
        return {f"{source.removesuffix('.cc')}.h": source for source in found}

    def of_c_api_kernel(unit: str) -> set[str]:
        """Returns the sources of the C API whose headers a kernel or another of them includes, directly or indirectly."""

        def direct(source: str) -> set[str]:
            included = sources.closure([source])
            return {own for header, own in c_api().items() if header in included}

        return _reached(unit, direct)

    c_api_kernels = release.units.c_api_kernels
    out = {
        u: of_c_api_kernel(u) if u.startswith(c_api_kernels) else search.helpers(u) for u in units
    }
    return {unit: tuple(sorted(helpers)) for unit, helpers in out.items() if helpers}


def on_demand_headers(release: Release) -> dict[str, str]:
    """Returns sources by header that the core omits. A file that includes the header links the source: dataset.cc."""
    return {f"{source.removesuffix('.cc')}.h": source for source in sorted(release.on_demand)}


def looks_at_names(path: str, release: Release) -> bool:
    """Returns whether the search reads the names in a file that is not a unit, in addition to its includes."""
    return (
        path.startswith(tuple(f"{folder}/" for folder in release.units.searched_folders))
        or path in release.on_demand
        or path.removesuffix(".h") + ".cc" in release.on_demand
    )


def _reached(source: str, direct: Callable[[str], Set[str]]) -> set[str]:
    """Returns the other sources that a source needs, directly or indirectly; `direct` returns those that one source needs."""
    found = {source}
    todo = [source]
    while todo:
        new = direct(todo.pop()) - found
        found |= new
        todo.extend(new)
    return found - {source}


class _Search:
    def __init__(
        self,
        tree: BuildTree,
        release: Release,
        sources: Sources,
        registering: Set[str],
        core: Set[str],
    ) -> None:
        self._release = release
        self._registering = registering
        self._core = core
        self._sources = sources
        self._targets = _Targets(tree, release)
        self._instantiated = functools.cache(self._instantiated_names)
        self._direct = functools.cache(self._direct_helpers)

    def helpers(self, unit: str) -> set[str]:
        """Returns the sources that define names which a source uses, directly or indirectly."""
        return _reached(unit, self._direct)

    def _direct_helpers(self, source: str) -> frozenset[str]:
        headers = {h for h in self._sources.closure([source]) if looks_at_names(h, self._release)}
        candidates = self._targets.sources_beside(source)
        for header in headers:
            candidates |= self._targets.sources_beside(header)
        promised = frozenset[str]().union(
            *(self._sources.names(file).promised for file in (source, *headers))
        )
        return frozenset(
            s
            for s in candidates - self._core - {source}
            if self._is_needed(s, source, headers, promised)
        )

    def _is_needed(
        self, candidate: str, source: str, headers: Set[str], promised: Set[str]
    ) -> bool:
        """Returns whether a source or a header that it includes uses a candidate.

        The own header of a candidate is the header whose name is the longest prefix of the candidate's name. A candidate
        that registers nothing is used if its own header is included, or another header of its library that declares a
        name which the candidate defines, or if the candidate instantiates a `promised` template. A candidate without
        headers is used if a name that it defines is used.

        A candidate that registers something is used only if a name that its header declares is used elsewhere, because
        such headers are mostly included for templates. If several numbered sources share a header, the templates in the
        header use the names that the sources define.
        """
        own = self._targets.headers_of(candidate)
        names = self._sources.names(candidate).defined
        if candidate in self._registering:
            shared = _NUMBER.sub(".h", candidate)
            if shared in headers and names & self._sources.names(shared).used:
                return True
            own = [h for h in self._targets.headers_named_as(candidate) if h in headers]
            names &= frozenset[str]().union(*(self._sources.names(h).used for h in own))
        elif own:
            return (
                own[0] in headers
                or any(h in headers and names & self._sources.names(h).used for h in own)
                or bool(promised & self._instantiated(candidate))
            )
        users = set(headers).difference(own) | {source}
        return any(names & self._sources.names(user).used for user in users)

    def _instantiated_names(self, candidate: str) -> frozenset[str]:
        """Returns the templates that a candidate or its header instantiates: slice_op_cpu_impl_1.cc has only four lines."""
        own = set(self._targets.headers_of(candidate)).intersection(self._sources.direct(candidate))
        return frozenset[str]().union(
            *(self._sources.names(f).instantiated for f in {candidate, *own})
        )


class _Targets:
    """The sources and headers of TensorFlow's libraries, by file."""

    def __init__(self, tree: BuildTree, release: Release) -> None:
        self._tree = tree
        self._release = release
        self._libraries_of: dict[str, list[Label]] = {}
        self._sources: dict[Label, frozenset[str]] = {}
        self._headers: dict[Label, frozenset[str]] = {}
        for package in _packages(tree.root, release.units.searched_folders):
            for rule in tree.rules(package).values():
                if rule.kind.endswith("library"):
                    self._add(Label(package, rule.name), set(self._files(rule)))
        # Each source is a library of its own: the libraries in TensorFlow hold most of the core.
        for header, source in on_demand_headers(release).items():
            folder, _, name = header.rpartition("/")
            if (tree.root / source).is_file():
                self._add(Label(folder, name), {header, source})

    def sources_beside(self, file: str) -> set[str]:
        """Returns the other sources of the libraries that contain a source or header."""
        labels = self._libraries_of.get(file, ())
        return set().union(*(self._sources[label] for label in labels)) - {file}

    def headers_of(self, source: str) -> list[str]:
        """Returns the headers of a source's libraries whose names are prefixes of the source's, the longest first."""
        stem = source.removesuffix(".cc")
        fitting = (h for h in self._headers_beside(source) if stem.startswith(h.removesuffix(".h")))
        return sorted(fitting, key=len, reverse=True)

    def headers_named_as(self, source: str) -> list[str]:
        """Returns the headers of a source's libraries that have its name, optionally with _functor: inplace_ops_functor.h."""
        stem = source.removesuffix(".cc")
        named = {f"{stem}.h", f"{stem}_functor.h"}
        return sorted(named & self._headers_beside(source))

    def _headers_beside(self, source: str) -> set[str]:
        labels = self._libraries_of.get(source, ())
        return {h for label in labels for h in self._headers[label]}

    def _add(self, label: Label, files: set[str]) -> None:
        self._sources[label] = frozenset(
            f
            for f in files
            if f.endswith(".cc")
            and looks_at_names(f, self._release)
            and not f.endswith(self._release.units.not_for_cpu)
            and f not in self._release.units.not_helpers
        )
        self._headers[label] = frozenset(f for f in files if f.endswith(".h"))
        for file in files:
            self._libraries_of.setdefault(file, []).append(label)

    def _files(self, rule: Rule) -> Iterator[str]:
        for text in rule.labels("srcs") + rule.labels("hdrs") + rule.labels("textual_hdrs"):
            label = parse_label(text, rule.package, self._tree.repositories)
            if label is not None and (self._tree.root / label.path).is_file():
                yield label.path
        prefix = rule.attrs.get("prefix")
        if isinstance(prefix, str):  # tf_kernel_library: all files with this prefix
            for path in (self._tree.root / rule.package).glob(prefix + "*"):
                if path.suffix in (".cc", ".h"):
                    yield f"{rule.package}/{path.name}"


def _packages(root: Path, folders: Iterable[str]) -> list[str]:
    """Returns the folders below `folders` that have a BUILD file."""
    found = (path for top in folders for path in (root / top).rglob("BUILD*"))
    return sorted({str(p.parent.relative_to(root)) for p in found if p.name in BUILD_FILE_NAMES})
