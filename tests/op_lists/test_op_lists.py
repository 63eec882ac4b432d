"""The comparison of op lists, and the program that writes newer_ops.json."""

from __future__ import annotations

import itertools
import json
import zipfile
from pathlib import Path

import pytest
import tensorflow as tf

from bootstrap.console import BootstrapError
from op_lists import compare, package, update
from op_lists.package import Package
from tfcarve.errors import InvalidInput
from tfcarve.newer.data import LaterRelease, NewAttribute, NewerOps, NewOp
from tfcarve.prepare.graph.messages import OpDef


def _op(name: str, **attrs: object) -> OpDef:
    """An op with attributes and their defaults; None: no default."""
    op = OpDef(name=name)
    for key, default in attrs.items():
        attr = op.attr.add(name=key)
        if isinstance(default, bool):
            attr.type, attr.default_value.b = "bool", default
        elif isinstance(default, str):
            attr.type, attr.default_value.s = "string", default.encode()
        elif isinstance(default, list):
            attr.type = "list(int)"
            attr.default_value.list.i.extend(default)
        elif isinstance(default, tuple):
            attr.type = "shape"
            attr.default_value.shape.SetInParent()
        else:
            attr.type = "int"
    return op


_BASE = Package("1.2.3", 10, (_op("A"), _op("B", old="x")))
_LATER = (
    Package("1.3.0", 11, (_op("A"), _op("B", old="x"), _op("C"), _op("Gone"))),
    Package("1.9.1", 12, (_op("A", f=False), _op("B", old="y", more=[1, 2]), _op("C"))),
    Package("1.10.0", 13, (_op("A", f=False), _op("B", old="x", more=[1, 2], s="p"), _op("D"))),
)
_ROWS = NewerOps(
    "1.2.3",
    10,
    tuple(
        LaterRelease(*row)
        for row in (("1.3", "1.3.0", 11), ("1.9", "1.9.1", 12), ("1.10", "1.10.0", 13))
    ),
    (NewOp("C", "1.3"), NewOp("D", "1.10"), NewOp("Gone", "1.3")),
    (
        NewAttribute("A", "f", "bool", False, "1.9"),
        NewAttribute("B", "more", "list(int)", (1, 2), "1.9"),
        NewAttribute("B", "s", "string", "p", "1.10"),
    ),
)


@pytest.mark.parametrize("later", list(itertools.permutations(_LATER)))
def test_releases_may_be_added_in_any_order(later: tuple[Package, ...]) -> None:
    newer = compare.empty(_BASE)
    for each in later:
        newer = compare.with_release(newer, _BASE, each)
    assert newer == _ROWS
    assert compare.with_release(newer, _BASE, _LATER[1]) == newer


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (Package("1.2.9", 10, ()), r"1\.2\.9 is not later than 1\.2\.3"),
        (Package("0.9.0", 10, ()), "not later"),
        (Package("1.3.0", 10, (_op("A", n=None),)), "'A': the new attribute 'n' has the type int and .* None"),
        (Package("1.3.0", 10, (_op("A", s=()),)), "has the type shape"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored(later: Package, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        compare.with_release(compare.empty(_BASE), _BASE, later)


def test_the_ops_of_the_installed_package() -> None:
    folder = Path(tf.__file__).parent
    found = package.read(folder)
    assert (found.tensorflow, found.graph_version) == (
        tf.version.VERSION,
        tf.version.GRAPH_DEF_VERSION,
    )
    names = {op.name for op in found.ops}
    assert len(names) > 1500
    assert {"MatMul", "VarHandleOp"} <= names
    # TensorFlow's Python package also registers the ops of its own tests.
    assert "TestStringOutput" not in names


def test_a_folder_without_libraries(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no ops can be read: .*libtensorflow_framework\.so\.2"):
        package.read(tmp_path)


@pytest.fixture(name="release")
def _release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the release 2.14 in an empty working directory, with packages of a few ops."""
    monkeypatch.chdir(tmp_path)
    packages = {each.tensorflow: each for each in (*_LATER, Package("2.14.1", 10, _BASE.ops))}
    packages = {k: Package(k, v.graph_version, v.ops) for k, v in packages.items()}
    for each in _LATER:  # later than 2.14
        name = each.tensorflow.replace("1.", "3.", 1)
        packages[name] = Package(name, each.graph_version, each.ops)
    monkeypatch.setattr(update, "_package", packages.__getitem__)
    folder = tmp_path / "third_party/tensorflow/releases/2.14"
    folder.mkdir(parents=True)
    return folder


def test_releases_are_added_to_the_file(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert update.main(["2.14", "3.9.1"]) == 0
    first = json.loads((release / "newer_ops.json").read_bytes())
    assert [row["op"] for row in first["ops"]] == ["C"]
    assert update.main(["2.14", "3.3.0", "3.10.0"]) == 0
    second = json.loads((release / "newer_ops.json").read_bytes())
    assert [row["name"] for row in second["releases"]] == ["3.3", "3.9", "3.10"]
    assert {row["op"]: row["first"] for row in second["ops"]} == {
        "C": "3.3",
        "D": "3.10",
        "Gone": "3.3",
    }
    assert "newer_ops.json: 3 ops, 3 attributes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["9.9", "3.9.1"], "TensorFlow 9.9 is not a release that tfcarve builds"),
        (["2.14", "1.3.0"], "1.3.0 is not later than 2.14.1"),
    ],
)
def test_errors_of_the_program(
    arguments: list[str], message: str, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert update.main(arguments) == 2
    assert message in capsys.readouterr().err
    assert list(release.iterdir()) == []


def test_a_package_is_downloaded_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def run_pip(python: Path, arguments: list[str]) -> None:
        (folder,) = (Path(a.removeprefix("--dest=")) for a in arguments if a.startswith("--dest="))
        assert {"--no-deps", "--only-binary=:all:", "tensorflow-cpu==9.8.7"} <= set(arguments)
        with zipfile.ZipFile(folder / "some.whl", "w") as wheel:
            for name in (*package.LIBRARIES, "other.so"):
                wheel.writestr(f"tensorflow/{name}", name)

    def read(folder: Path) -> Package:
        assert {path.name for path in folder.iterdir()} == set(package.LIBRARIES)
        assert list(folder.parent.glob("*.whl")) == []
        seen.append(folder)
        return _BASE

    monkeypatch.setattr(update, "run_pip", run_pip)
    monkeypatch.setattr(package, "read", read)
    assert update._package("9.8.7") is _BASE
    assert [folder.exists() for folder in seen] == [False]


def test_a_package_that_does_not_exist(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(version: str) -> Package:
        raise BootstrapError(f"pip download failed: no {version}")

    monkeypatch.setattr(update, "_package", fail)
    assert update.main(["2.14", "9.0.0"]) == 2
    assert "tfcarve: pip download failed: no 2.14.1" in capsys.readouterr().err


def test_a_version_is_required() -> None:
    with pytest.raises(SystemExit) as caught:
        update.main(["2.14"])
    assert caught.value.code == 2
