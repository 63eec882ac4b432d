"""Tests of what `tfcarve inspect` prints, as text and as JSON."""

from __future__ import annotations

import shlex
from pathlib import Path

import protos
import pytest
from protos import node

from tfcarve import cli, json_codec
from tfcarve.benchmark.inspection import Inspection
from tfcarve.commands import freeze_options

_FLOAT = protos.type_value("float32")


def _write(name: str) -> str:
    """Writes a model whose output has a name that a shell and a terminal would interpret."""
    shape = protos.data(7, protos.shape(-1, 4))
    graph = protos.graph(
        node("x", "Placeholder", {"dtype": _FLOAT, "shape": shape}),
        node(name, "Relu", {"T": _FLOAT}, inputs=["x"]),
    )
    Path("m.pb").write_bytes(graph)
    return "m.pb"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", _write("a; reboot")]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("to run it:")
    assert shlex.split(lines[start + 1])[-1] == "a; reboot=a__reboot.npy"
    assert lines[start + 1].endswith("--output 'a; reboot=a__reboot.npy'")
    assert len(lines) == start + 4


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", _write("y"), "--json"]) == 0
    found = json_codec.decode(capsys.readouterr().out.encode(), Inspection, "inspect")
    assert found.commands[0] == ("run_model", "m.pb", "--input", "x=x.npy", "--output", "y=y.npy")
    assert [(t.name, t.shape) for t in found.inputs] == [("x", (-1, 4))]
    assert (found.version, found.model, found.format) == (1, "m.pb", "graphdef")


def test_a_name_with_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", _write("a\x1b[2J\nb")]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "a\\x1b[2J\\nb  Relu" in printed
    assert "no commands to run it: the name 'a\\x1b[2J\\nb' cannot be passed" in printed


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--tags=serve,gpu", "--signature=s"],
        ["--inputs=x,y", "--outputs=z", "--checkpoint=model.ckpt"],
        ["--moving-averages", "--lower-control-flow", "--unroll=3"],
    ],
)
def test_the_options_of_freezing_are_repeated(words: list[str]) -> None:
    arguments = cli.parser(["inspect"]).parse_args(["inspect", "m.pb", *words])
    assert freeze_options.words(arguments) == tuple(words)
