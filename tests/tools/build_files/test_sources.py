"""What sources include and name, each looked at once."""

from pathlib import Path

from tfcarve.build_files import sources
from tfcarve.build_files.sources import Sources

_TEXTS = {
    "a.cc": '#include "b.h"\n  # include "c.h"\n#include <vector>\nint Run() { return Go(); }\n',
    "b.h": '#include "c.h"\n#include "a.cc"\n',
    "c.h": '#include "not/there.h"\n',
}


def test_direct_in_order_of_the_lines() -> None:
    assert Sources(_TEXTS.__getitem__).direct("a.cc") == ("b.h", "c.h")


def test_closure_with_what_is_not_there_and_in_a_circle() -> None:
    files = Sources(lambda path: _TEXTS.get(path, ""))
    assert files.closure(["a.cc"]) == {"a.cc", "b.h", "c.h", "not/there.h"}
    assert files.closure(["c.h"]) == {"not/there.h"}
    assert files.closure([]) == set()


def test_names() -> None:
    found = Sources(_TEXTS.__getitem__).names("a.cc")
    assert found.defined == {"Run"}
    assert "Go" in found.used


def test_a_file_is_read_once_for_each_question() -> None:
    asked: list[str] = []

    def text(path: str) -> str:
        asked.append(path)
        return _TEXTS[path]

    files = Sources(text)
    for _ in range(2):
        files.direct("a.cc")
        files.names("a.cc")
    assert asked == ["a.cc", "a.cc"]


def test_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/a.cc").write_text('#include "b.h"\n')
    found = sources.below(tmp_path)
    assert found.direct("x/a.cc") == ("b.h",)
    assert found.direct("b.h") == ()
