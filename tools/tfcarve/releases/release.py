"""A TensorFlow release as one typed value, read from third_party/tensorflow/releases/<name>/release.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument

# The folders with TensorFlow's own sources, of any release.
FOLDERS = ("tensorflow/", "tsl/", "xla/")


class Layout(JsonDocument, frozen=True):
    """Where sources are in a TensorFlow tree.

    Attributes:
      roots: folders with sources.
      tsl: the folder of TSL, TensorFlow's platform library.
      include_prefixes: prefixes that #include lines omit, in the order in which they are tried.
      repositories: external repositories that labels in BUILD files name, with their folders in the tree.
    """

    roots: tuple[str, ...]
    tsl: str
    include_prefixes: tuple[str, ...]
    repositories: Mapping[str, str]


class IndexFacts(JsonDocument, frozen=True):
    """The files and folders of a TensorFlow tree that the kernel index reads.

    Attributes:
      types_files: the files that define the sets of types in op definitions.
      constant_files: files other than headers that define constants in registrations.
      skipped: folders without registrations for a library.
    """

    types_files: tuple[str, ...]
    constant_files: tuple[str, ...]
    skipped: tuple[str, ...]


class OnDemand(JsonDocument, frozen=True):
    """Sources that the core omits, and that a library has only if a model needs them."""

    why: str
    sources: tuple[str, ...]


class Core(JsonDocument, frozen=True):
    """The core: the runtime that every library contains.

    Attributes:
      target: label of the filegroup of TensorFlow's mobile build.
      excluded: path prefixes that the core omits.
      mobile_folders: folders whose sources TensorFlow's own mobile core contains.
      platform_sources: sources that TensorFlow's targets add by select() on the platform.
      proto_roots: folders whose protos are compiled.
      on_demand: sources that the core omits.
      always: optional sources that the core contains because most models need them.
    """

    target: str
    excluded: tuple[str, ...]
    mobile_folders: tuple[str, ...]
    platform_sources: tuple[str, ...]
    proto_roots: tuple[str, ...]
    on_demand: tuple[OnDemand, ...]
    always: tuple[str, ...]


class Units(JsonDocument, frozen=True):
    """The sources of kernels and op definitions.

    Attributes:
      folders: the folders of these sources.
      helper_folders: the folders of helper sources, which they link.
      searched_folders: the folders in which the search for helper sources looks.
      c_api_kernels: the folder of kernels that are written against TensorFlow's C API.
      c_api_sources: sources that kernels of the C API link in addition to the C API of the mobile build.
      with_environment: sources and folders of sources that ask their device for TensorFlow's environment.
      not_for_cpu: endings of sources that no CPU build compiles.
      not_helpers: why single sources cannot be helper sources.
      excluded_folders: why sources in other folders cannot be part of a library.
      excluded_sources: why single sources cannot be part of a library.
      libraries: the third-party libraries that units need.
    """

    folders: tuple[str, ...]
    helper_folders: tuple[str, ...]
    searched_folders: tuple[str, ...]
    c_api_kernels: str
    c_api_sources: tuple[str, ...]
    with_environment: tuple[str, ...]
    not_for_cpu: tuple[str, ...]
    not_helpers: Mapping[str, str]
    excluded_folders: Mapping[str, str]
    excluded_sources: Mapping[str, str]
    libraries: Mapping[str, tuple[str, ...]]


class Interfaces(JsonDocument, frozen=True):
    """Sources outside the core with which apps call a library otherwise than through tfcarve's C interface.

    Attributes:
      flex_delegate: the TensorFlow Lite delegate.
      flex_kernel: the part of the delegate that calls ops.
      flex_lite: the sources of TensorFlow Lite that the delegate needs.
    """

    flex_delegate: tuple[str, ...]
    flex_kernel: tuple[str, ...]
    flex_lite: tuple[str, ...]

    @property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The sources of each interface, by the name of the attribute."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class Override(JsonDocument, frozen=True):
    """A source or header of tfcarve that replaces TensorFlow's file with the same path.

    Attributes:
      path: relative to the tree.
      replaces: SHA-256 of TensorFlow's file.
      why: the reason.
      test: the test that compares it with TensorFlow's.
      own: whether only this release has it: it is in the release's folder, not in the folder that releases share.
    """

    path: str
    replaces: str
    why: str
    test: str
    own: bool = False


class HeaderOverride(Override, frozen=True):
    """An override of a header that sources of kernels include.

    Attributes:
      drops: TensorFlow's helper sources that libraries do not compile: the override has their contents, or leaves them empty.
    """

    drops: tuple[str, ...] = ()


class KernelOverride(HeaderOverride, frozen=True):
    """An override of a source of kernels, or of a helper source.

    Attributes:
      unneeded: helper sources that TensorFlow's file needs, and the override does not.
    """

    unneeded: tuple[str, ...] = ()


class AddedKernels(JsonDocument, frozen=True):
    """A source of tfcarve with kernels for ops that TensorFlow defines and has no kernels for in mobile builds.

    Attributes:
      path: its path in the tree; TensorFlow has no file with this path.
      why: the reason.
      test: the test that compares it with full TensorFlow.
    """

    path: str
    why: str
    test: str


class Overrides(JsonDocument, frozen=True):
    """All overrides.

    Attributes:
      core: of sources and protos of the core.
      kernels: of sources of kernels and of their helper sources.
      headers: of headers that kernels include.
      added: sources with further kernels.
    """

    core: tuple[Override, ...]
    kernels: tuple[KernelOverride, ...]
    headers: tuple[HeaderOverride, ...]
    added: tuple[AddedKernels, ...]

    @property
    def replacing(self) -> tuple[Override, ...]:
        """The overrides of files that TensorFlow has."""
        return (*self.core, *self.kernels, *self.headers)

    @property
    def dropped(self) -> frozenset[str]:
        """TensorFlow's helper sources that libraries do not compile."""
        return frozenset(
            source for override in (*self.kernels, *self.headers) for source in override.drops
        )

    @property
    def unneeded(self) -> Mapping[str, tuple[str, ...]]:
        """The helper sources that overrides do not need, by the path of the override."""
        return {override.path: override.unneeded for override in self.kernels}


class _Document(JsonDocument, frozen=True):
    version: str
    is_proved: bool
    defines: tuple[str, ...]
    tree: Layout
    index: IndexFacts
    core: Core
    units: Units
    libraries: Mapping[str, tuple[str, ...]]
    interfaces: Interfaces
    overrides: Overrides


@dataclass(frozen=True, eq=False)
class Release:
    """The data of a release.

    Attributes:
      name: major and minor version.
      folder: the folder with the data.
      version: the version that is pinned.
      is_proved: whether libraries of the release pass all tests; the default is the newest release that does.
      defines: the macros that decide which kernels are registered.
      libraries: the C sources of each third-party library that tfcarve compiles.
      tree, index, core, units, interfaces, overrides: see their classes.
    """

    name: str
    folder: Path
    version: str
    is_proved: bool
    defines: tuple[str, ...]
    tree: Layout
    index: IndexFacts
    core: Core
    units: Units
    libraries: Mapping[str, tuple[str, ...]]
    interfaces: Interfaces
    overrides: Overrides

    @cached_property
    def on_demand(self) -> frozenset[str]:
        """The sources that the core omits."""
        return frozenset(source for group in self.core.on_demand for source in group.sources)

    @cached_property
    def generated_headers(self) -> Mapping[str, str]:
        """The texts of headers that TensorFlow's build generates, by their paths in #include lines."""
        folder = self.file("generated_headers")
        headers = sorted(folder.rglob("*.h"))
        return {str(h.relative_to(folder)): h.read_text(encoding="utf-8") for h in headers}

    @cached_property
    def added_kernels(self) -> Mapping[str, Path]:
        """The sources that tfcarve adds to TensorFlow's tree: the file of each path in the tree."""
        kernels = self.folder.parents[1] / "overrides" / "kernels"
        return {added.path: kernels / added.path for added in self.overrides.added}

    def is_of(self, version: str) -> bool:
        """Returns whether a TensorFlow version belongs to this release."""
        return ".".join(version.split(".")[:2]) == self.name

    def file(self, name: str) -> Path:
        """Returns a data file of the release."""
        return self.folder / name


def read(folder: Path) -> Release:
    """Reads the release in a folder, which has the release's name.

    Raises InvalidInput if release.toml is missing or is not as declared above.
    """
    file = folder / "release.toml"
    try:
        document = msgspec.toml.decode(file.read_bytes(), type=_Document)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file}: {error}") from None
    if not f"{document.version}.".startswith(f"{folder.name}."):
        raise InvalidInput(f"{file}: version {document.version!r} is not of release {folder.name}")
    return Release(
        folder.name,
        folder,
        document.version,
        document.is_proved,
        document.defines,
        document.tree,
        document.index,
        document.core,
        document.units,
        document.libraries,
        document.interfaces,
        document.overrides,
    )
