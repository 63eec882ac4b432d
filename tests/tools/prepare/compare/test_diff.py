"""`tfcarve diff`: differences, node by node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from compared import Draw, saved, tf1

from tfcarve.cli import main
from tfcarve.prepare.differences.diff import Change, OpCount, changes, op_counts
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import GraphDef, NodeDef


def _node(name: str, op: str, *inputs: str, device: str = "", **attrs: Any) -> NodeDef:
    created = NodeDef(name=name, op=op, input=inputs, device=device)
    for key, value in attrs.items():
        setattr(created.attr[key], "i" if isinstance(value, int) else "type", value)
    return created


def _graph(*nodes: NodeDef) -> Graph:
    return Graph(list(nodes))


def test_no_change() -> None:
    def graph() -> Graph:
        return _graph(_node("x", "Placeholder"), _node("y", "Relu", "x", T=1))

    assert changes(graph(), graph()) == []


def test_each_kind_of_change() -> None:
    a = _graph(
        _node("x", "Placeholder"), _node("gone", "Relu", "x"), _node("y", "Relu", "gone", T=1)
    )
    b = _graph(
        _node("y", "Elu", "new", T=2, N=3, device="/cpu:0"),
        _node("new", "Abs", "x"),
        _node("x", "Placeholder"),
    )
    assert changes(a, b) == [
        Change("gone", "removed", "Relu"),
        Change(
            "y",
            "changed",
            "Elu",
            (
                ("op", "Relu", "Elu"),
                ("inputs", "gone", "new"),
                ("device", "", "/cpu:0"),
                ("N", "", "i: 3"),
                ("T", "i: 1", "i: 2"),
            ),
        ),
        Change("new", "added", "Abs"),
    ]


def test_a_missing_attribute_is_not_zero() -> None:
    (change,) = changes(_graph(_node("x", "Abs")), _graph(_node("x", "Abs", N=0)))
    assert [what for what, _, _ in change.details] == ["N"]


def test_values_of_constants(tmp_path: Path) -> None:
    def graph(*values: float) -> Graph:
        path = saved(tmp_path, "c", lambda: tf.constant(values, name="c"))
        return graph_file.read_graph(path)

    (same_type,) = changes(graph(1.0, 2), graph(1.0, 3))
    assert same_type.details == (
        ("value", "float32 [2], 18 bytes", "float32 [2], 18 bytes, other values"),
    )
    (longer,) = changes(graph(1.0, 2), graph(1.0, 2, 4))
    assert longer.details == (("value", "float32 [2], 18 bytes", "float32 [3], 22 bytes"),)


def _with_function(name: str, op: str, returned: str = "y") -> Graph:
    whole = GraphDef()
    whole.node.add(name="x", op="Placeholder")
    function = whole.library.function.add()
    function.signature.name = name
    function.node_def.add(name="y", op=op)
    function.ret["out"] = f"{returned}:z:0"
    return graph_file.from_message(whole)


def test_functions() -> None:
    a = _with_function("f", "Relu")
    assert changes(a, _with_function("f", "Relu")) == []
    (body,) = changes(a, _with_function("f", "Elu"))
    assert body == Change("f/y", "changed", "Elu", (("op", "Relu", "Elu"),))
    (returned,) = changes(a, _with_function("f", "Relu", "w"))
    assert returned == Change("f", "changed", "function", (("returns", "out=y:z:0", "out=w:z:0"),))
    assert changes(a, _with_function("g", "Relu")) == [
        Change("f", "removed", "function"),
        Change("f/y", "removed", "Relu"),
        Change("g", "added", "function"),
        Change("g/y", "added", "Relu"),
    ]
    other = _with_function("f", "Relu")
    other.library.function[0].signature.is_stateful = True
    assert [d[0] for d in changes(a, other)[0].details] == ["signature"]


def test_counts_and_bytes() -> None:
    a = _graph(_node("x", "Placeholder"), _node("y", "Relu", "x"), _node("z", "Relu", "y"))
    b = _graph(_node("x", "Placeholder"), _node("y", "Elu", "x"))
    sizes = [node.ByteSize() for node in (*a.nodes, *b.nodes)]
    assert op_counts(a, b) == [
        OpCount("Elu", (0, 1), (0, sizes[4])),
        OpCount("Placeholder", (1, 1), (sizes[0], sizes[3])),
        OpCount("Relu", (2, 0), (sizes[1] + sizes[2], 0)),
    ]
    counted = op_counts(_with_function("f", "Relu"), b)
    assert counted[2].nodes == (1, 0), "nodes of functions count"


@pytest.fixture(name="paths")
def _paths(tmp_path: Path) -> tuple[Path, Path]:
    def graph(op: Any) -> Draw:
        return lambda: op(tf1.placeholder(tf.float32, [2], name="x"), name="y")

    return saved(tmp_path, "a", graph(tf.nn.relu)), saved(tmp_path, "b", graph(tf.nn.elu))


def test_command(paths: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *map(str, paths)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["~ y (Elu)", "    op: Relu -> Elu", "0 added, 0 removed, 1 changed"]
    cells = [line.split("  ") for line in lines[3:]]
    found = {row[0]: " ".join(part.strip() for part in row[1:] if part.strip()) for row in cells}
    assert found["Elu"].startswith("0 -> 1")
    assert found["all"].startswith("2 -> 2")


def test_json(paths: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--json", *map(str, paths)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["nodes"] == [
        {
            "node": "y",
            "kind": "changed",
            "op": "Elu",
            "details": [{"what": "op", "before": "Relu", "after": "Elu"}],
        }
    ]
    assert {row["op"]: row["nodes"] for row in document["ops"]} == {
        "Elu": [0, 1],
        "Placeholder": [1, 1],
        "Relu": [1, 0],
    }


def test_missing_file(
    paths: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cut.pb").write_bytes(paths[0].read_bytes()[:-3])
    assert main(["diff", str(paths[0]), str(tmp_path / "cut.pb")]) == 2
    assert "cut.pb" in capsys.readouterr().err


def test_control_characters_in_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pbtxt").write_text('node { name: "x" op: "Placeholder" }')
    (tmp_path / "b.pbtxt").write_text('node { name: "\\033[2J" op: "Placeholder" }')
    assert main(["diff", str(tmp_path / "a.pbtxt"), str(tmp_path / "b.pbtxt")]) == 0
    out = capsys.readouterr().out
    assert "\033" not in out
    assert "+ \\x1b[2J (Placeholder)" in out
