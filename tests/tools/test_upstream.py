"""Cases of the tests of similar tools, run with tfcarve.

The tools are TensorFlow's print_selective_registration_header, TensorFlow Lite's list_flex_ops, and
the selective builds of PyTorch and ExecuTorch. ONNX Runtime's case, a model that fails to load
because an op was left out, needs a built library: see tests/e2e.
"""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import flat
import protos
import pytest
from indexes import op, registration
from protos import node

from tfcarve import cli
from tfcarve.op_definition import Attr
from tfcarve.registry.index import KernelIndex, TensorflowFacts
from tfcarve.selection.selection import Selection, parse

_FLOAT, _DOUBLE = ({"T": protos.type_value(t)} for t in ("float32", "float64"))
_T = Attr("type")
_INDEX = KernelIndex(
    TensorflowFacts("9.8.7", "ab" * 32, ()),
    (
        registration("Add", "BinaryOp<CPUDevice, add<float>>", T=("float32",)),
        registration("BiasAdd", "BiasOp<CPUDevice, float>", T=("float32",)),
        registration("MatMul", "MatMulOp<CPUDevice, float>", T=("float32",)),
        registration("MatMul", "MatMulOp<CPUDevice, double>", T=("float64",)),
        registration("AddN", "AddNOp<CPUDevice, float>", T=("float32",)),
        registration("NoOp", "NoOp", "DEFAULT", system=True),
        registration("Reshape", "ReshapeOp", values={}),
        registration("Softmax", "SoftmaxOp<CPUDevice, float>", T=("float32",)),
        registration("_Recv", "RecvOp", system=True, file="sendrecv_ops.cc"),
        registration("_Send", "SendOp", system=True, file="sendrecv_ops.cc"),
    ),
    tuple(
        op(name, **({} if name in ("NoOp", "_Recv", "_Send") else {"T": _T}))
        for name in (
            "AccumulateNV2",
            "Add",
            "AddN",
            "BiasAdd",
            "MatMul",
            "NoOp",
            "Reshape",
            "Softmax",
            "_Recv",
            "_Send",
        )
    ),
)
# The runtime's own ops, without those that the index above does not know.
_ALWAYS = {("NoOp", "NoOp"), ("_Recv", "RecvOp"), ("_Send", "SendOp")}


@pytest.fixture(autouse=True)
def _in_a_folder_with_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("index.json").write_bytes(_INDEX.to_json())


def _select(*models: str) -> int:
    return cli.main(["select", *models, "--index", "index.json", "-o", "s.json"])


def _selected(*models: str) -> Selection:
    assert _select(*models) == 0
    return parse(Path("s.json").read_bytes(), "s.json")


def _pairs(selection: Selection) -> list[tuple[str, str | None]]:
    kernels: set[tuple[str, str | None]] = {(k.op, k.clazz) for k in selection.kernels}
    computed = {name for name, _ in kernels}
    return sorted(
        kernels | {(o.name, None) for o in selection.ops if o.name not in computed}, key=str
    )


def _graphs(device: str) -> None:
    first = protos.graph(
        node("a", "BiasAdd", _FLOAT, device),
        node("b", "MatMul", _FLOAT, device),
        node("c", "MatMul", _DOUBLE, device),
        node("call", "F", {}, device),
        functions=[protos.function("F", node("in_f", "Reshape", _FLOAT, device))],
    )
    second = protos.graph(node("a", "BiasAdd", _FLOAT, device), node("n", "AccumulateNV2", _FLOAT))
    Path("first.pb").write_bytes(first)
    Path("second.pb").write_bytes(second)


@pytest.mark.parametrize("device", ["/cpu:0", ""], ids=["on a device", "device cleared"])
def test_exact_pairs_of_two_graphs(device: str) -> None:
    _graphs(device)
    assert set(_pairs(_selected("first.pb", "second.pb"))) == _ALWAYS | {
        ("AccumulateNV2", None),
        ("AddN", "AddNOp<CPUDevice, float>"),
        ("BiasAdd", "BiasOp<CPUDevice, float>"),
        ("MatMul", "MatMulOp<CPUDevice, double>"),
        ("MatMul", "MatMulOp<CPUDevice, float>"),
        ("Reshape", "ReshapeOp"),
    }


_ADD = ["Add", "BinaryOp<CPUDevice, add<float>>"]
_SOFTMAX = ["Softmax", "SoftmaxOp<CPUDevice, float>"]


@pytest.mark.parametrize(
    ("lists", "pairs"),
    [
        ([[_ADD]], [_ADD]),
        ([[_ADD, _SOFTMAX]], [_ADD, _SOFTMAX]),
        ([[_ADD, _SOFTMAX, _ADD]], [_ADD, _SOFTMAX]),
        ([[_ADD, ["Softmax", None]]], [_ADD, ["Softmax", None]]),
        ([[_ADD], [_SOFTMAX]], [_ADD, _SOFTMAX]),
    ],
    ids=["one", "two", "twice the same", "no kernel", "two files"],
)
def test_ops_lists(lists: Sequence[Sequence[object]], pairs: Sequence[Sequence[str]]) -> None:
    for number, rows in enumerate(lists):
        Path(f"{number}.json").write_text(json.dumps(rows))
    found = _pairs(_selected(*(f"{number}.json" for number in range(len(lists)))))
    assert set(found) - _ALWAYS == {(name, clazz) for name, clazz in pairs}


def test_an_empty_ops_list_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ops.json").write_text("")
    assert _select("ops.json") == 2
    assert "ops.json: is empty" in capsys.readouterr().err


_EVERYTHING = """
static_assert(SHOULD_REGISTER_OP("Anything"));
static_assert(SHOULD_REGISTER_OP_KERNEL("AnyOp<CPUDevice, float>"));
static_assert(SHOULD_REGISTER_OP_GRADIENT);
"""


def test_the_header_that_registers_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["header", "--all", "-o", "ops_to_register.h"]) == 0
    Path("use.cc").write_text(f'#include "ops_to_register.h"\n{_EVERYTHING}')
    subprocess.run(["g++", "-std=c++17", "-Werror", "-fsyntax-only", "use.cc"], check=True)
    assert cli.main(["header"]) == 2
    assert "pass either a selection or --all" in capsys.readouterr().err
    assert cli.main(["header", "s.json", "--all"]) == 2


def _flex(*nodes: bytes) -> bytes:
    options = [flat.flex_options(b"Add", n) for n in nodes]
    return flat.model(["FlexAdd"], [(0, o) for o in options])


def test_two_flex_models_and_the_same_op_twice() -> None:
    Path("one.tflite").write_bytes(_flex(node("a", "Add", _FLOAT), node("b", "Add", _FLOAT)))
    softmax = flat.flex_options(b"Softmax", node("s", "Softmax", _FLOAT))
    Path("two.tflite").write_bytes(flat.model(["FlexSoftmax"], [(0, softmax)]))
    found = _pairs(_selected("one.tflite", "two.tflite"))
    assert set(found) - _ALWAYS == {(str(o), str(c)) for o, c in (_ADD, _SOFTMAX)}


def test_flex_models_that_cannot_run(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bool.tflite").write_bytes(_flex(node("a", "Add", {"T": protos.type_value("bool")})))
    assert _select("bool.tflite") == 1
    assert "op 'Add' (T=bool): no kernel for T=bool" in capsys.readouterr().err
    options = flat.flex_options(b"Unheard", node("a", "Unheard"))
    Path("unheard.tflite").write_bytes(flat.model(["FlexUnheard"], [(0, options)]))
    assert _select("unheard.tflite") == 1
    assert "op 'Unheard' is unknown" in capsys.readouterr().err


@pytest.mark.parametrize(
    "model",
    [flat.model([], []), flat.model([], [], subgraphs=0), flat.model(["CustomAdd"], [(0, b"")])],
    ids=["no operators", "no subgraphs", "no Flex ops"],
)
def test_a_lite_model_without_flex_ops_needs_nothing(
    model: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("plain.tflite").write_bytes(model)
    assert _select("plain.tflite") == 1
    assert "plain.tflite has no TensorFlow ops (Flex ops)" in capsys.readouterr().err
    assert not Path("s.json").exists()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (b"no model at all", "not a TensorFlow Lite model"),
        (_flex(node("a", "Add", _FLOAT))[:60], "bad.tflite: "),
        (_flex(b"\xff\xff\xff"), "operator 0"),
        (_flex(node("a", "")), "operator 0.*has no op"),
    ],
    ids=["broken", "cut off", "bytes that are no NodeDef", "an empty op name"],
)
def test_flex_models_that_are_damaged(
    model: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.tflite").write_bytes(model)
    assert _select("bad.tflite") == 2
    assert re.search(message, capsys.readouterr().err)
    assert not Path("s.json").exists()


def test_what_the_header_of_a_list_means() -> None:
    """For the compiler: what is listed is registered, anything else is not."""
    Path("ops.json").write_text(json.dumps([_ADD, ["Softmax", None]]))
    assert _select("ops.json") == 0
    assert cli.main(["header", "s.json", "-o", "ops_to_register.h"]) == 0
    listed = ['OP("Add")', 'OP("Softmax")', f'OP_KERNEL("{_ADD[1]}")']
    others = ['OP("MatMul")', 'OP("Ad")', f'OP_KERNEL("{_SOFTMAX[1]}")', 'OP_KERNEL("Add")']
    lines = [f"static_assert(SHOULD_REGISTER_{text});" for text in listed]
    lines += [f"static_assert(!SHOULD_REGISTER_{text});" for text in others]
    Path("use.cc").write_text("\n".join(['#include "ops_to_register.h"', *lines]))
    subprocess.run(["g++", "-std=c++17", "-Werror", "-fsyntax-only", "use.cc"], check=True)


def test_nothing_changed_nothing_is_written() -> None:
    _graphs("")
    _selected("first.pb")
    os.utime("s.json", ns=(1, 1))
    _selected("first.pb")
    assert Path("s.json").stat().st_mtime_ns == 1
    _selected("second.pb")
    assert Path("s.json").stat().st_mtime_ns != 1


def test_merging_is_commutative_and_keeps_who_needs_what() -> None:
    _graphs("")
    Path("third.json").write_text(json.dumps([_ADD]))
    models = ["first.pb", "second.pb", "third.json"]
    made = {_selected(*order) for order in permutations(models)}
    (selection,) = made
    bias = next(k for k in selection.kernels if k.op == "BiasAdd")
    assert [(n.model, n.node) for n in bias.needed_by] == [("first.pb", "a"), ("second.pb", "a")]
    add = next(k for k in selection.kernels if k.op == "Add")
    assert [n.model for n in add.needed_by] == ["third.json"]


def test_a_key_that_is_not_known_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    _graphs("")
    document = json.loads(_selected("first.pb").to_json())
    Path("s.json").write_text(json.dumps({**document, "colour": 1}))
    assert cli.main(["header", "s.json"]) == 2
    assert "unknown field `colour`" in capsys.readouterr().err
