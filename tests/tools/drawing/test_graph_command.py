"""Tests of `tfcarve graph`: its files and messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import flat
import msgspec
import protos
import pytest
from benchmark_reports import document, sizes
from protos import node
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tfcarve import cli, json_codec
from tfcarve.drawing import event_file

_FLOAT = {"T": protos.type_value("float32")}
_BODY = protos.function("inner_fn", node("m/a", "MatMul", _FLOAT), returned=["m/a:out:0"])
_GRAPH = protos.graph(
    node("x", "Placeholder", _FLOAT),
    node("net/a/relu", "Relu", _FLOAT, inputs=["x"]),
    node("net/b", "inner_fn", inputs=["net/a/relu"]),
    functions=[_BODY],
)
_needs_graphviz = pytest.mark.skipif(
    not shutil.which("dot"), reason="no Graphviz on PATH. Try: sudo apt-get install graphviz"
)


@pytest.fixture(autouse=True)
def _in_a_folder_with_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.pb").write_bytes(_GRAPH)


def _run(*words: str) -> int:
    return cli.main(["graph", *words])


def _rejected(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    before = set(Path().rglob("*"))
    assert _run(*words) == 2
    assert set(Path().rglob("*")) == before, "nothing is written"
    return capsys.readouterr().err


@_needs_graphviz
@pytest.mark.parametrize(("name", "start"), [("g.svg", "<svg "), ("g.html", "<!DOCTYPE html>")])
def test_drawings(name: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("m.pb", "-o", name) == 0
    assert capsys.readouterr().out == f"{name}: 3 nodes in 3 boxes, depth 3\n"
    text = Path(name).read_text()
    assert text.startswith(start) and ">relu</text>" in text
    before = Path(name).stat().st_mtime_ns
    assert _run("m.pb", "-o", name) == 0
    assert Path(name).stat().st_mtime_ns == before, "the same model gives the same file"


def test_dot_needs_no_graphviz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _run("m.pb", "-o", "g.dot", "--depth", "1") == 0
    assert r'label="net\nRelu · 2 nodes"' in Path("g.dot").read_text()


def test_svg_needs_graphviz(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "dot is not on PATH: sudo apt-get install graphviz" in _rejected(
        capsys, "m.pb", "-o", "g.svg"
    )


def test_scope_and_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("m.pb", "-o", "g.dot", "--scope", "net/a") == 0
    assert "g.dot: 3 nodes in 3 boxes, depth 1" in capsys.readouterr().out
    assert _run("m.pb", "-o", "g.dot", "--function", "inner_fn") == 0
    assert "MatMul" in Path("g.dot").read_text()
    message = _rejected(capsys, "m.pb", "-o", "h.dot", "--function", "inner")
    assert "m.pb: has no function 'inner': did you mean inner_fn?" in message
    assert "has no function 'zz'\n" in _rejected(capsys, "m.pb", "-o", "h.dot", "--function", "zz")
    message = _rejected(capsys, "m.pb", "-o", "h.dot", "--scope", "nets")
    assert "m.pb: no node is in the scope 'nets/': without --scope" in message


def test_reports() -> None:
    Path("size.json").write_bytes(sizes({"Relu": 3000}).to_json())
    Path("time.json").write_bytes(json_codec.encode(document({"net/a/relu": 2.5})))
    words = ["m.pb", "-o", "g.dot"]
    assert _run(*words) == 0
    by_op = Path("g.dot").read_text()
    assert _run(*words, "--size", "size.json", "--time", "time.json") == 0
    both = Path("g.dot").read_text()
    assert r"relu\nRelu\n2.5 ms · library 3 kB" in both
    assert _run(*words, "--size", "size.json") == 0
    assert r"relu\nRelu\nlibrary 3 kB" in Path("g.dot").read_text()
    assert _run(*words, "--size", "size.json", "--time", "time.json", "--by", "op") == 0
    colours = [line.split("label")[0] for line in Path("g.dot").read_text().splitlines()]
    assert colours == [line.split("label")[0] for line in by_op.splitlines()]


def test_reports_of_other_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    Path("size.json").write_bytes(sizes({"Relu": 3000}).to_json())
    Path("time.json").write_bytes(json_codec.encode(document({"other": 2.5})))
    words = ["m.pb", "-o", "g.dot"]
    assert "time.json: measured for another model (m.pb): m.pb has no node 'other'" in _rejected(
        capsys, *words, "--time", "time.json"
    )
    assert "expected a benchmark, which" in _rejected(capsys, *words, "--time", "size.json")
    assert "expected a size report, which" in _rejected(capsys, *words, "--size", "time.json")
    assert "--by time requires --time REPORT" in _rejected(capsys, *words, "--by", "time")
    assert "--by library requires --size REPORT" in _rejected(capsys, *words, "--by", "library")
    assert _run(*words, "--by", "weights") == 0


def test_reports_without_times(capsys: pytest.CaptureFixture[str]) -> None:
    timed = document({"net/a/relu": 2.5})
    nodes = tuple(msgspec.structs.replace(node, ms=None) for node in timed.nodes)
    Path("time.json").write_bytes(json_codec.encode(msgspec.structs.replace(timed, nodes=nodes)))
    message = _rejected(capsys, "m.pb", "-o", "g.dot", "--time", "time.json")
    assert "time.json: has no times, because it was counted under qemu: measure" in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["m.pb"], "pass -o FILE or --tensorboard DIR"),
        (["m.pb", "-o", "g.png"], "g.png: expected a name that ends in .svg, .dot, .html"),
        (["m.pb", "-o", "g.dot", "--depth", "0"], "expected a number from 1 to 16, not '0'"),
        (["m.pb", "-o", "g.dot", "--depth", "17"], "expected a number from 1 to 16, not '17'"),
        (["m.pb", "-o", "g.dot", "--depth", "x"], "expected a number from 1 to 16, not 'x'"),
        (["gone.pb", "-o", "g.dot"], "gone.pb: no such file"),
    ],
)
def test_invalid_words(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in _rejected(capsys, *words)


@pytest.mark.parametrize("words", [["-o", "g.dot"], ["--tensorboard", "logs"]])
def test_models_without_a_graph(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ops.json").write_text('[["Add", null]]')
    options = flat.flex_options(b"Add", node("sum", "Add"))
    Path("m.tflite").write_bytes(flat.model(["FlexAdd"], [(0, options)]))
    for name in ("ops.json", "m.tflite"):
        assert f"{name}: has no TensorFlow graph to draw: pass" in _rejected(capsys, name, *words)


def test_functions_without_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.pb").write_bytes(protos.graph(node("x", "A"), functions=[protos.function("f")]))
    message = _rejected(capsys, "m.pb", "-o", "g.dot", "--function", "f")
    assert "m.pb: its function 'f' has no nodes: there is nothing to draw" in message
    Path("m.pb").write_bytes(protos.graph(functions=[protos.function("f", node("x", "A"))]))
    assert "m.pb: its graph has no nodes" in _rejected(capsys, "m.pb", "-o", "g.dot")


def test_saved_models_of_several_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    graphs = (protos.meta_graph(_GRAPH, "serve"), protos.meta_graph(_GRAPH, "train"))
    Path("saved_model.pb").write_bytes(protos.saved_model(*graphs))
    for words in (["-o", "g.dot"], ["--tensorboard", "logs"]):
        assert ".: has 2 graphs: choose one with --tags" in _rejected(capsys, ".", *words)
    assert _run(".", "-o", "g.dot", "--tensorboard", "logs", "--tags", "serve") == 0
    assert capsys.readouterr().out.count("\n") == 2


@pytest.mark.parametrize("name", ["m.pb", "m.pbtxt"])
def test_tensorboard(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.pbtxt").write_text(
        'node { name: "x" op: "Placeholder" } node { name: "y" op: "Relu" input: "x" }'
    )
    assert _run(name, "--tensorboard", "logs") == 0
    assert "to show it: tensorboard --logdir logs" in capsys.readouterr().out
    assert [file.name for file in Path("logs").iterdir()] == [event_file.NAME]
    shown = EventAccumulator("logs").Reload().Graph()
    assert shown.node[0].name == "x"


def test_a_name_that_a_terminal_would_interpret(capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.pb").write_bytes(protos.graph(node("\x1b[2J", "Relu", _FLOAT)))
    assert _run("m.pb", "-o", "g\x1b[2J.dot") == 0
    assert "\x1b" not in capsys.readouterr().out
    assert "\x1b" not in Path("g\x1b[2J.dot").read_text()
