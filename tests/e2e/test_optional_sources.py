"""A library has the optional sources of the runtime that its objects refer to, and no others."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.builds import app_workspace
from tfcarve.size import link_line
from tfcarve.size.link_line import LinkLine

_LIBRARY = "//optional:library"
_ARCHIVE = "liboptional.a"
# Those that the three ops and the custom op refer to; each needs others.
_NEEDED = {
    "re2__re2.cc",
    "tensorflow__core__lib__strings__ordered_code.cc",
    "tensorflow__core__protobuf__tensor_bundle.pb.cc",
    "tensorflow__core__util__tensor_bundle__tensor_bundle.cc",
}
_NOT_NEEDED = {
    "absl__synchronization__mutex.cc",
    "tensorflow__core__example__example.pb.cc",
    "tensorflow__core__framework__lookup_interface.cc",
    "tensorflow__tsl__framework__bfc_allocator.cc",
}
# A library may have a few too many: the list says which sources define a name, not which overload, and the linker also drops
# single functions, such as those that compute shapes, with their references.
_MAX_EXCESS = 0.1


@dataclass(frozen=True)
class _Built:
    line: LinkLine
    sources: frozenset[str]

    def linked_without(self, member: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Links the library again, without an object of the archive; "" for all objects."""
        (archive,) = (x.path for x in self.line.libraries if x.path.endswith(_ARCHIVE))
        fewer = folder / _ARCHIVE
        shutil.copyfile(self.line.root / archive, fewer)
        fewer.chmod(0o644)
        if member:
            subprocess.run(["ar", "d", fewer, member], check=True)
        link = self.line.link.with_files(str(folder / "library.so"), [self.line.link.source])
        return subprocess.run(
            [str(fewer) if word == archive else word for word in link],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.line.root,
        )


@pytest.fixture(name="built", scope="module")
def _built() -> Iterator[_Built]:
    with app_workspace.opened() as workspace:
        build = workspace.build([_LIBRARY], ["--output_groups=default,sizes,optional_sources"])
        file = build.named(_LIBRARY, "sizes")["link.json"]
        sources = frozenset(build.named(_LIBRARY, "optional_sources"))
        yield _Built(link_line.load(file, None), sources)


def test_sources(built: _Built) -> None:
    assert built.sources >= _NEEDED
    assert not built.sources & _NOT_NEEDED


def test_each_is_needed(built: _Built, tmp_path: Path) -> None:
    """Without one of them the link fails: the linker rejects undefined symbols."""
    assert built.linked_without("", tmp_path).returncode == 0
    not_needed = []
    for source in sorted(built.sources):
        done = built.linked_without(f"{source.removesuffix('.cc')}.pic.o", tmp_path)
        if done.returncode == 0:
            not_needed.append(source)
        else:
            assert "undefined symbol" in done.stderr or "undefined reference" in done.stderr
    assert len(not_needed) <= _MAX_EXCESS * len(built.sources), not_needed
