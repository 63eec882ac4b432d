"""The tables of platforms match proofs.yaml and the BUILD files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from e2e.builds import built_libraries
from platforms import declared, suite, table, update

# This test reads the checkout's files.
ROOT = (Path(os.environ["RUNFILES_DIR"]) / "_main/tests/platforms/proofs.yaml").resolve().parents[2]
PROOFS = (ROOT / "tests/platforms/proofs.yaml").read_text(encoding="utf-8")
_PAGE = Path("docs/platforms.md")
UPDATE = "to update: PYTHONPATH=tests python -m platforms.update"


def _rows(**cell: str) -> tuple[table.Row, ...]:
    return (table.Row("Vax", ("vax",), dict.fromkeys(table.COLUMNS, cell)),)


def test_pages_have_the_tables() -> None:
    for page, text in update.updated(ROOT).items():
        assert (ROOT / page).read_text(encoding="utf-8") == text, UPDATE


def test_suite_has_all_tests_that_run_by_name() -> None:
    listed = suite.by_name(ROOT)
    declared_tests = suite.declared_tests(ROOT)
    assert listed.keys() == {label for label, by_name in declared_tests.items() if by_name}
    assert "//tests/e2e:test_models_full" in listed


def test_reasons_are_for_tests_of_each_run() -> None:
    others = {label for label, by_name in suite.declared_tests(ROOT).items() if not by_name}
    assert suite.why_long(ROOT).keys() <= others | {"//tests/built:libraries"}


def test_suite_of_another_tree(tmp_path: Path) -> None:
    """The control: a test that the list lacks, and one in a nested workspace."""
    for folder, name in (("tests/a", "test_a"), ("tests/a/app", "test_b")):
        (tmp_path / folder).mkdir(parents=True)
        rule = f'py_tool_test(name = "{name}", tags = ["manual"])\n'
        (tmp_path / folder / "BUILD").write_text(rule)
    (tmp_path / "tests/a/app/MODULE.bazel").touch()
    assert suite.declared_tests(tmp_path) == {"//tests/a:test_a": True}


def test_table_has_the_platforms_of_the_end_to_end_tests() -> None:
    rows = table.parse(PROOFS)
    claimed = {n for r in rows if any("//tests/e2e:" in t for t in r.tests()) for n in r.names}
    assert claimed == built_libraries.COMPILERS.keys()


_READ = ("CONTRIBUTING.md", ".bazelversion", "tests/suite.bzl", "README.md", "docs/platforms.md")
_READ_FOLDERS = ("tests/*/*", "third_party/tensorflow/releases/*/release.toml")


def _copy(tree: Path) -> None:
    """Copies the files that the tables are made from, and the pages."""
    folders = (path for pattern in _READ_FOLDERS for path in ROOT.glob(pattern))
    for file in (*(ROOT / name for name in _READ), *folders):
        if file.is_file():
            copy = tree / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def test_update(tmp_path: Path) -> None:
    _copy(tmp_path)
    page = tmp_path / "docs/platforms.md"
    page.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n", encoding="utf-8")
    assert update.main(tmp_path) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    shutil.copyfile(ROOT / "docs/platforms.md", page)
    assert update.updated(tmp_path) == update.updated(ROOT)
    build = tmp_path / "tests/e2e/BUILD"
    text = build.read_text(encoding="utf-8")
    changed = text.replace("    built_test(\n", '    built_test(\n        tags = ["manual"],\n')
    assert changed != text
    build.write_text(changed, encoding="utf-8")
    assert "yes, under qemu, by name: `e2e:test_models`" in update.updated(tmp_path)[_PAGE]
    page.write_text("no marks", encoding="utf-8")
    with pytest.raises(ValueError, match=r"the page lacks the line <!-- platforms"):
        update.main(tmp_path)


def test_status() -> None:
    tested, by_means = {"test": "//tests/a:test_b"}, {"test": "//tests/a:test_b", "how": "by simh"}
    vax = table.Row("Vax", ("vax",), {**dict.fromkeys(table.COLUMNS, tested), "model": by_means})
    cells = {**dict.fromkeys(table.COLUMNS, by_means), "model": {"requires": "a PDP"}}
    text = table.status([vax, table.Row("PDP", ("pdp",), cells)], ["9.8", "9.9"], "7")
    assert text.splitlines()[2:] == [
        "| TensorFlow | 9.8, 9.9, built with Bazel 7 |",
        "| models run on | Vax (by simh) |",
        "| compiled, models not run | PDP (by simh) |",
    ]
    assert "not run" not in table.status([vax], ["9.8"], "7")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ({"test": "//tests/a:test_b"}, "yes: `a:test_b`"),
        ({"test": "//tests/a:test_b", "how": "under qemu"}, "yes, under qemu: `a:test_b`"),
        ({"test": "//tests/a:test_b", "only": "a sample"}, "only a sample: `a:test_b`"),
        ({"test": "//tests/a:test_c"}, "yes, by name: `a:test_c`"),
        ({"not_yet": "why"}, "not yet: why"),
        ({"requires": "a Vax"}, "not tested: requires a Vax"),
    ],
)
def test_cells(cell: dict[str, str], text: str) -> None:
    text_of_table = table.markdown(
        _rows(**cell), {"//tests/a:test_b": False, "//tests/a:test_c": True}
    )
    assert (
        text_of_table.splitlines()[2]
        == f"| Vax: `vax` | {' | '.join([text] * len(table.COLUMNS))} |"
    )


def test_undeclared_test() -> None:
    with pytest.raises(ValueError, match="Vax: compiled: no BUILD file declares //tests/a:test_b"):
        table.markdown(_rows(test="//tests/a:test_b"), {"//tests/a:test_c": False})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("linked:", "joined:", "platform, names, compiled, linked, registrations, model only"),
        ("how:", "somehow:", "compiled: invalid cell"),
        ("requires:", "soon:", "model: invalid cell"),
    ],
)
def test_invalid_proofs(old: str, new: str, message: str) -> None:
    assert old in PROOFS
    with pytest.raises(ValueError, match=message):
        table.parse(PROOFS.replace(old, new))


def test_declared(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    for name in ("test_one.py", "test_two.py", "BUILD"):
        (tmp_path / "p" / name).touch()
    (tmp_path / "p/BUILD").write_text("""
load("//x:y.bzl", "some_test")
some_test(name = "test_named", tags = ["local", "manual"])
some_test(name = "other")
[some_test(name = src.removesuffix(".py"), srcs = [src]) for src in glob(["test_*.py"], exclude = ["test_two.py"])]
[some_test(name = n, tags = ["local"] + tags) for n, tags in {"test_a": [], "test_b": ["manual"]}.items()]
""")
    assert declared.tests(tmp_path, "p") == {
        "//p:test_named": True,
        "//p:test_one": False,
        "//p:test_a": False,
        "//p:test_b": True,
    }
    with pytest.raises(FileNotFoundError):
        declared.tests(tmp_path, "q")
