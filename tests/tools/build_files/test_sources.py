"""Tests of the includes and names of sources."""

from pathlib import Path

from tfcarve.build_files import sources
from tfcarve.build_files.sources import Sources

_TEXTS = {
    "a.cc": '#include "b.h"\n  # include "c.h"\n#include <vector>\nint Run() { return Go(); }\n',
    "b.h": '#include "c.h"\n#include "a.cc"\n',
    "c.h": '#include "not/there.h"\n',
}


def test_direct_includes() -> None:
    assert Sources(_TEXTS.__getitem__).direct("a.cc") == ("b.h", "c.h")


def test_closure_with_a_missing_file_and_a_cycle() -> None:
    files = Sources(lambda path: _TEXTS.get(path, ""))
    assert files.closure(["a.cc"]) == {"a.cc", "b.h", "c.h", "not/there.h"}
    assert files.closure(["c.h"]) == {"not/there.h"}
    assert files.closure([]) == set()


def test_names() -> None:
    found = Sources(_TEXTS.__getitem__).names("a.cc")
    assert found.defined == {"Run"}
    assert "Go" in found.used


def test_results_are_cached() -> None:
    reads: list[str] = []

    def text(path: str) -> str:
        reads.append(path)
        return _TEXTS[path]

    files = Sources(text)
    for _ in range(2):
        files.direct("a.cc")
        files.names("a.cc")
    assert reads == ["a.cc", "a.cc"]


def test_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/a.cc").write_text('#include "b.h"\n')
    found = sources.below(tmp_path)
    assert found.direct("x/a.cc") == ("b.h",)
    assert found.direct("b.h") == ()
