"""Tests of include trees: which includes are followed, and that no file outside the folders is copied."""

from pathlib import Path

import pytest

from tfcarve.cli import main
from tfcarve.emit.include_tree import IncludePath, include_tree
from tfcarve.errors import InvalidInput


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_closure_over_several_folders(tmp_path: Path) -> None:
    first = _write(
        tmp_path / "one",
        {
            "a/a.h": '#include "a/b.h"\n#  include <c.h>\n#include <vector>\n',
            "a/b.h": '#if 0\n#include "./inner/d.h"\n#endif\n',
            "a/inner/d.h": '#include "../a.h"\n',
            "unused.h": "",
        },
    )
    second = _write(tmp_path / "two", {"c.h": '// #include "x"\n', "a/b.h": "shadowed\n"})
    tree = include_tree(IncludePath([first, second]), ["a/a.h"])
    assert sorted(tree) == ["a/a.h", "a/b.h", "a/inner/d.h", "c.h"]
    assert tree["a/b.h"].startswith(b"#if 0")


def test_nothing_outside_is_copied(tmp_path: Path) -> None:
    _write(tmp_path, {"secret.h": "", "in/a.h": '#include "../secret.h"\n#include "../../x.h"\n'})
    absolute = f'#include "{tmp_path}/secret.h"\n'
    _write(tmp_path / "in", {"b.h": absolute})
    assert sorted(include_tree(IncludePath([tmp_path / "in"]), ["a.h", "b.h"])) == ["a.h", "b.h"]


def test_missing_header(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a/none.h: is in none of the 1 include folders"):
        include_tree(IncludePath([tmp_path]), ["a/none.h"])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = _write(tmp_path / "in", {"a.h": '#include "b/c.h"\n', "b/c.h": "c\n"})
    command = ["include-tree", "a.h", "-I", str(root), "-o", str(tmp_path / "out")]
    assert main(command) == 0
    assert (tmp_path / "out/b/c.h").read_text() == "c\n"
    assert main(command) == 2
    assert "is not empty" in capsys.readouterr().err
