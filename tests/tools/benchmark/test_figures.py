"""Tests of `tfcarve benchmark --figures`: figures that were measured on a device."""

import json
from pathlib import Path
from typing import Any

import benchmark_values
import msgspec
import protos
import pytest
from benchmark_values import CONV, RELU, measurement

from tfcarve import cli
from tfcarve.benchmark import figures
from tfcarve.benchmark.measurement import Node
from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import NodeUse

# 3 x 3 of 2 channels, to 4 channels; the output of benchmark_values.CONV is 1 x 8 x 8 x 4.
_MULTIPLY_ADDS = 8 * 8 * 4 * 3 * 3 * 2


def _uses(*nodes: tuple[str, str]) -> list[NodeUse]:
    return [NodeUse("m.pb", "", name, op, "", {}) for name, op in nodes]


def _check(nodes: tuple[Node, ...], uses: list[NodeUse]) -> None:
    figures.check(measurement(nodes=nodes), "device.json", uses, "m.pb")


def _renamed(node: Node, name: str, op: str = "") -> Node:
    return msgspec.structs.replace(node, name=name, op=op or node.op)


_MODEL = _uses(("x", "Placeholder"), ("filter", "Const"), ("conv", "Conv2D"), ("relu", "Relu"))


@pytest.mark.parametrize(
    "node",
    [
        CONV,
        _renamed(CONV, "call/inner/conv"),
        _renamed(CONV, "_arg_x_0_0", "_Arg"),
        _renamed(CONV, "filter", "_TfcarveConstant"),
        _renamed(CONV, "scale/_0__cf__0", "Const"),
        _renamed(CONV, "while/next", "NextIteration"),
    ],
)
def test_figures_of_the_model(node: Node) -> None:
    _check((node, RELU), _MODEL)


@pytest.mark.parametrize(
    "node",
    [
        _renamed(CONV, "other"),
        _renamed(CONV, "conv/other"),
        _renamed(CONV, "conv", "MatMul"),
        # Of the prepared model.
        _renamed(CONV, "relu", "_FusedConv2D"),
    ],
)
def test_figures_of_another_model(node: Node) -> None:
    message = rf"^device\.json: measured for another model \(m\.pb\): m\.pb has no node '{node.name}' with the op {node.op}$"
    with pytest.raises(InvalidInput, match=message):
        _check((RELU, node), _MODEL)


def test_figures_without_nodes() -> None:
    with pytest.raises(InvalidInput, match=r"^device\.json: has no nodes: .* --traced-runs"):
        _check((), _MODEL)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a model, the figures, and those of another model."""
    monkeypatch.chdir(tmp_path)
    floats = {"T": protos.type_value("float32")}
    constant = {"dtype": floats["T"], "value": protos.tensor_value("float32", (3, 3, 2, 4))}
    graph = protos.graph(
        protos.node("x", "Placeholder", attrs={"dtype": floats["T"]}),
        protos.node("filter", "Const", attrs=constant),
        protos.node("conv", "Conv2D", floats, inputs=["x", "filter"]),
        protos.node("relu", "Relu", floats, inputs=["conv"]),
    )
    Path("m.pb").write_bytes(graph)
    document = benchmark_values.document()
    Path("device.json").write_text(json.dumps(document))
    document["nodes"][0]["name"] = "other"
    Path("other.json").write_text(json.dumps(document))


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["benchmark", "--figures", "device.json", "m.pb", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (document["program"], document["cpu"]) == ("device.json", "")
    assert document["multiply_adds"] == _MULTIPLY_ADDS
    assert document["nodes"][0]["gflops"] == pytest.approx(_MULTIPLY_ADDS * 2 / 8e6)
    assert document["wall_ms"]["median"] == 10


def test_tables_and_page(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["device.json", "m.pb", "--nodes=1", "--html=page.html"]
    assert cli.main(["benchmark", "--figures", *words]) == 0
    text = capsys.readouterr().out
    assert text.startswith("m.pb in device.json\n")
    assert f"{_MULTIPLY_ADDS:,} multiply-adds: " in text
    assert "GFLOPS" in text and "conv (Conv2D)" in text
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<p>In device.json</p>" in page
    assert "GFLOPS" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["other.json", "m.pb"], "other.json: measured for another model"),
        (["m.pb", "m.pb"], "m.pb: "),
        (["no.json", "m.pb"], "no.json: "),
        (["device.json", "m.pb", "--runs=3"], "--runs cannot be combined with --figures"),
        (["device.json", "m.pb", "--output=y"], "--output cannot be combined with --figures"),
        (["device.json", "m.pb", "--traced-runs=2"], "--traced-runs cannot be combined with"),
        (["device.json", "m.pb", "--trace=t.json"], "--trace cannot be combined with --figures"),
        (["device.json", "m.pb", "--sizes=s.json"], "--sizes requires --html"),
    ],
)
def test_invalid_use(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["benchmark", "--figures", *words]) == 2
    assert message in capsys.readouterr().err
