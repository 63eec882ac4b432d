"""The files of a wheel. tests/python_wheel installs wheels with libraries."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tfcarve.cli import main
from tfcarve.commands.wheel import client_modules
from tfcarve.errors import InvalidInput
from tfcarve.package.wheel import DELEGATE, Wheel, require_valid, wheel

_CONTENT = Wheel(
    "my_models",
    "1.2",
    "manylinux_2_35_aarch64",
    "libtensorflow-core.so",
    b"library",
    {"net": b"graph", "other-2": b"another"},
    client_modules(),
    {"LICENSE": b"text"},
)


def _files(content: Wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(wheel(content))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_files() -> None:
    files = _files(_CONTENT)
    info = "my_models-1.2.dist-info"
    assert files["my_models/libtensorflow-core.so"] == b"library"
    assert files["my_models/models/other-2.pb"] == b"another"
    assert files[f"{info}/licenses/LICENSE"] == b"text"
    assert b"Name: my_models\nVersion: 1.2\n" in files[f"{info}/METADATA"]
    assert b"License-File: LICENSE\n" in files[f"{info}/METADATA"]
    assert b"Tag: py3-none-manylinux_2_35_aarch64\n" in files[f"{info}/WHEEL"]
    assert _CONTENT.file_name == "my_models-1.2-py3-none-manylinux_2_35_aarch64.whl"


def test_the_record_has_each_file() -> None:
    files = _files(_CONTENT)
    record = "my_models-1.2.dist-info/RECORD"
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[record].decode()))}
    assert rows.keys() == files.keys()
    assert rows.pop(record) == ["", ""]
    for name, (digest, size) in rows.items():
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest())
        assert digest == f"sha256={expected.decode().rstrip('=')}"
        assert int(size) == len(files[name])


def test_modules_do_not_need_tfcarve() -> None:
    for name, data in _files(_CONTENT).items():
        if name.endswith(".py"):
            compile(data, name, "exec")
            assert not re.search(rb"(?:from|import) tfcarve", data), name


def test_equal_contents_are_equal_bytes() -> None:
    assert wheel(_CONTENT) == wheel(_CONTENT)
    assert wheel(_CONTENT) != wheel(replace(_CONTENT, library=b"another"))


def test_a_delegate_has_no_models() -> None:
    files = _files(replace(_CONTENT, library_name=DELEGATE, models={}))
    assert f"my_models/{DELEGATE}" in files and "my_models/model.py" not in files
    assert b"def load_delegate() -> Any:" in files["my_models/__init__.py"]
    assert b"Requires-Dist: ai-edge-litert\n" in files["my_models-1.2.dist-info/METADATA"]


@pytest.mark.parametrize("name", ["", "My", "a-b", "1a", "_a", "a__b", "class", "../a", "a\n", "é"])
def test_invalid_names(name: str) -> None:
    with pytest.raises(InvalidInput, match="no name of a Python package"):
        require_valid(name, "1.0")


@pytest.mark.parametrize("version", ["", "x", "1..2", "1.0-", "1/2", "1.0\nName: x", "v1"])
def test_invalid_versions(version: str) -> None:
    with pytest.raises(InvalidInput, match="no version of a Python package"):
        require_valid("name", version)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "pass --model for a library"),
        (
            ["--model={folder}/net.tflite"],
            "a wheel contains frozen GraphDefs (.pb): freeze it first",
        ),
        (["--model=a/b={folder}/net.pb"], "pass NAME=FILE.pb, with another name"),
        (["--model={folder}/net.pb", "--model={folder}/net.pb"], "with another name"),
        (["--model={folder}/net.pb"], "lib.so: "),
    ],
)
def test_invalid_arguments(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.pb").write_bytes(b"graph")
    (tmp_path / "lib.so").write_bytes(b"not a library")
    given = [word.format(folder=tmp_path) for word in words]
    command = ["wheel", str(tmp_path / "lib.so"), *given, "--name=a", f"-o={tmp_path / 'out'}"]
    assert main(command) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
