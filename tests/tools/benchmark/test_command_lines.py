"""Tests of the command lines that `tfcarve inspect` prints."""

import shlex
from pathlib import PurePath

import pytest
import summaries

from tfcarve.benchmark.command_lines import CommandLines, command_lines
from tfcarve.cli import parser
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.models.summary import Summary, Tensor

_X = Tensor("x", "Placeholder", "float32", (-1, 8, 3))
_Y = Tensor("y", "Softmax", "float32", None)
_V = Tensor("v", "VarHandleOp", "float32", (3,))


def _lines(found: CommandLines) -> list[str]:
    """The command lines; each one of tfcarve is parsed by its own parser."""
    for words in found.commands:
        if words[0] == "tfcarve":
            parser().parse_args(words[1:])
    return [shlex.join(words) for words in found.commands]


def _of(summary: Summary, path: str = "m.pb") -> list[str]:
    return _lines(command_lines(summary, PurePath(path)))


def _signature(inputs: dict[str, str], outputs: dict[str, str]) -> Signature:
    sides = (
        tuple(SignatureTensor(name, (tensor,), "float32", (-1, 2)) for name, tensor in side.items())
        for side in (inputs, outputs)
    )
    return Signature(*sides)


def test_frozen_graph() -> None:
    seed = Tensor("seed", "PlaceholderWithDefault", "int64", ())
    assert _of(summaries.of([_X, seed], [_Y])) == [
        "run_model m.pb --input x=x.npy --output y=y.npy",
        "benchmark_model m.pb --input-random x=float32:1x8x3 --output y",
        "tfcarve benchmark benchmark_model m.pb --input-random x=float32:1x8x3 --output y",
    ]


@pytest.mark.parametrize(
    ("dtype", "shape", "option"),
    [
        ("string", (1,), "--input a/b=a_b.npy"),
        ("float32", None, "--input a/b=a_b.npy"),
        ("int32", (), "--input-random a/b=int32:"),
    ],
)
def test_inputs(dtype: str, shape: tuple[int, ...] | None, option: str) -> None:
    found = _of(summaries.of([Tensor("a/b", "Placeholder", dtype, shape)], [_Y]))
    assert found[1] == f"benchmark_model m.pb {option} --output y"


def test_different_tensors_have_different_files() -> None:
    outputs = [Tensor(name, "A", "float32", None) for name in ("a/b", "a_b", "a.b", "a b")]
    (line, *_) = _of(summaries.of([], outputs))
    assert line == (
        "run_model m.pb --output a/b=a_b.npy --output a_b=a_b_2.npy --output a.b=a.b.npy "
        "--output 'a b=a_b_3.npy'"
    )


def test_names_are_quoted_for_a_shell() -> None:
    evil = Tensor("$(rm -rf ~); '`x`", "A", "float32", None)
    for line in _of(summaries.of([], [evil]), "my model.pb"):
        words = shlex.split(line)
        assert "my model.pb" in words
        assert any(word.startswith(evil.name) for word in words)
        assert "'$(rm -rf ~); '" in line


def test_words_that_look_like_options() -> None:
    odd = Tensor("-y", "A", "float32", None)
    assert _of(summaries.of([], [odd]), "-m.pb")[:2] == [
        "run_model ./-m.pb --output=-y=-y.npy",
        "benchmark_model ./-m.pb --output=-y",
    ]


@pytest.mark.parametrize("name", ["", "a=b", "a\nb", "\x1b[2J"])
def test_names_that_no_command_line_can_have(name: str) -> None:
    found = command_lines(summaries.of([], [Tensor(name, "A", "", None)]), PurePath("m.pb"))
    assert found == CommandLines((), f"the name {name!r} cannot be passed on a command line")


def test_too_many_or_no_outputs() -> None:
    many = [Tensor(f"y{i}", "A", "float32", None) for i in range(21)]
    for outputs, remark in (
        (many, "it has 21 outputs: choose some with --outputs"),
        ([], "every node is an input of another node: choose outputs with --outputs"),
    ):
        assert command_lines(summaries.of([_X], outputs), PurePath("m.pb")).remark == remark
    assert _of(summaries.of([_X], many[:20]))


@pytest.mark.parametrize(
    ("path", "frozen"),
    [
        ("digits", "digits.pb"),
        ("a/digits/saved_model.pb", "digits.pb"),
        ("digits/saved_model.pbtxt", "digits.pb"),
        (".", "model.pb"),
        ("m.pb", "m-frozen.pb"),
    ],
)
def test_saved_models_are_frozen_first(path: str, frozen: str) -> None:
    both = {
        "serving_default": _signature({"x": "serving_x:0"}, {"x": "Call:0", "y": "Call:1"}),
        "train": _signature({"x": "train_x:0"}, {"loss": "Call_1:0"}),
    }
    summary = summaries.of([], [], "saved_model", [_V], both)
    assert _of(summary, path)[:3] == [
        f"tfcarve freeze {path} -o {frozen}",
        f"run_model {frozen} --input x=x.npy --output x_output=x_output.npy --output y=y.npy",
        f"benchmark_model {frozen} --input-random x=float32:1x2 --output x_output --output y",
    ]
    assert command_lines(summary, PurePath(path)).remark == "for the signature serving_default"


def test_another_signature() -> None:
    signatures = {
        "init": _signature({}, {"op": "NoOp:0"}),
        "s t": _signature({"x": "x:0"}, {"y": "y:0"}),
    }
    summary = summaries.of([], [], "saved_model", (), signatures)
    assert _of(summary, "d")[0] == "tfcarve freeze d --signature 's t' -o d.pb"
    without = summaries.of([], [], "saved_model", (), {"init": signatures["init"]})
    assert command_lines(without, PurePath("d")) == CommandLines((), "no signature has inputs")


def test_tags() -> None:
    both = {"serving_default": _signature({"x": "x:0"}, {"y": "y:0"})}
    summary = summaries.of([], [], "saved_model", (), both)
    found = command_lines(summary, PurePath("d"), None, ["serve", "gpu"])
    assert _lines(found)[0] == "tfcarve freeze d --tags serve,gpu -o d.pb"


def test_a_meta_graph() -> None:
    """Its variables are in a checkpoint of another name; a SavedModel contains them."""
    signatures = {"serving_default": _signature({"x": "x:0"}, {"y": "y:0"})}
    for variables, options in (([_V], "--checkpoint PREFIX "), ([], "")):
        summary = summaries.of([_X], [_Y], "meta_graph", variables, signatures)
        assert _of(summary, "m.meta")[0] == f"tfcarve freeze m.meta {options}-o m.pb"
    plain = summaries.of([_X], [_Y], "meta_graph", [_V])
    assert _of(plain, "m.meta")[0] == (
        "tfcarve freeze m.meta --checkpoint PREFIX --outputs y -o m.pb"
    )


def test_sparse_tensors_of_a_signature() -> None:
    sparse = SignatureTensor("s", ("v:0", "i:0", "d:0"), "", None)
    summary = summaries.of([], [], "saved_model", (), {"a": Signature((sparse,), (sparse,))})
    found = command_lines(summary, PurePath("d"))
    assert found == CommandLines((), "'s' is not one tensor: freeze the model, and inspect it")


def test_a_graph_with_variables() -> None:
    summary = summaries.of([_X], [_Y], variables=[_V])
    assert _of(summary)[:2] == [
        "tfcarve freeze m.pb --checkpoint PREFIX --outputs y -o m-frozen.pb",
        "run_model m-frozen.pb --input x=x.npy --output y=y.npy",
    ]
    assert "PREFIX is the checkpoint" in command_lines(summary, PurePath("m.pb")).remark


def test_a_graph_in_text_form() -> None:
    found = _of(summaries.of([_X], [_Y], "graphdef-text"), "m.pbtxt")
    assert found[:2] == [
        "tfcarve freeze m.pbtxt -o m.pb",
        "run_model m.pb --input x=x.npy --output y=y.npy",
    ]


def test_a_model_that_was_frozen_to_be_inspected() -> None:
    signatures = {"serving_default": _signature({"x": "x:0"}, {"y": "y:0"})}
    summary = summaries.of([_X], [_Y], "keras", (), signatures)
    found = command_lines(summary, PurePath("m.keras"), ["--unroll=3"])
    assert _lines(found)[:2] == [
        "tfcarve freeze m.keras --unroll=3 -o m.pb",
        "run_model m.pb --input x=x.npy --output y=y.npy",
    ]
    plain = command_lines(summaries.of([_X], [_Y]), PurePath("g.pb"), ["--outputs=y"])
    assert _lines(plain)[0] == "tfcarve freeze g.pb --outputs=y -o g-frozen.pb"


@pytest.mark.parametrize("kind", ["tflite-flex", "ops-list"])
def test_models_that_are_not_graphs(kind: str) -> None:
    assert command_lines(summaries.of([], [_Y], kind), PurePath("m")) == CommandLines((), "")
