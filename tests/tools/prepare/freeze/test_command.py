"""Tests of `tfcarve freeze`, and of the commands that freeze models."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_ops
from freeze_running import frozen_here, graph_of, outputs_of, run
from freeze_sources import (
    Source,
    checkpointed,
    counter,
    frozen_graph,
    keras_file,
    keras_model,
    lstm_model,
    two_signatures,
    v1_table,
)
from google.protobuf import text_format
from indexes import registration

from tfcarve import full_tensorflow
from tfcarve.cli import main
from tfcarve.commands.read_model import read_model
from tfcarve.errors import InvalidInput
from tfcarve.models.choice import Choice
from tfcarve.registry.index import KernelIndex, TensorflowFacts
from tfcarve.releases import known


def _error(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_output_is_deterministic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = keras_file(tmp_path / "lstm", lstm_model())
    here = frozen_here(source.path, tmp_path / "here")
    for name in ("a.pb", "b.pb"):
        assert main(["freeze", str(source.path), "-o", str(tmp_path / name), "--json"]) == 0
        assert (tmp_path / name).read_bytes() == here
        assert json.loads(capsys.readouterr().out) == [
            {
                "kind": "input",
                "name": "features",
                "given": "features",
                "dtype": "float32",
                "shape": [-1, 4, 1],
            },
            {
                "kind": "output",
                "name": "scores",
                "given": "scores",
                "dtype": "float32",
                "shape": [-1, 2],
            },
        ]


def test_keras_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = keras_file(tmp_path / "m.keras", keras_model())
    output = tmp_path / "m.pb"
    assert main(["freeze", str(source.path), "-o", str(output)]) == 0
    found = outputs_of(output.read_bytes(), source)["scores"]
    assert np.allclose(found, source.expected["scores"], atol=1e-6)
    assert "input   features  float32  (-1, 4)" in capsys.readouterr().out


def test_checkpoint(tmp_path: Path) -> None:
    source = checkpointed(tmp_path / "m", True, averages=True)
    words = ["freeze", str(source.path), "-o", str(tmp_path / "m.pb"), "--outputs", "scores"]
    relative = os.path.relpath(source.options["checkpoint"])
    assert main([*words, "--checkpoint", relative, "--moving-averages", "--inputs", "x"]) == 0
    found = outputs_of((tmp_path / "m.pb").read_bytes(), source)["scores"]
    assert np.allclose(found, source.expected["scores"], atol=1e-6)


def test_a_frozen_graph_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = frozen_graph(tmp_path / "m.pb")
    text = tmp_path / "m.pbtxt"
    text.write_text(text_format.MessageToString(graph_of(source.path.read_bytes())))
    assert main(["freeze", str(text), "-o", str(tmp_path / "of_text.pb")]) == 0
    assert graph_of((tmp_path / "of_text.pb").read_bytes()) == graph_of(source.path.read_bytes())
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tensorflow" else find(name)
    )
    assert main(["freeze", str(source.path), "-o", str(tmp_path / "copy.pb")]) == 0
    assert (tmp_path / "copy.pb").read_bytes() == source.path.read_bytes()
    assert "is already frozen: copied unchanged" in capsys.readouterr().out
    assert main(["freeze", str(text), "-o", str(tmp_path / "no.pb")]) == 2
    assert f"tensorflow is not installed in {sys.executable}: pip install" in _error(capsys)
    assert not (tmp_path / "no.pb").exists()


def test_an_error_changes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = counter(tmp_path / "m")
    output = tmp_path / "out" / "m.pb"
    assert main(["freeze", str(source.path), "-o", str(output)]) == 2
    found = _error(capsys)
    assert found.startswith(f"tfcarve: {source.path}: node '") and "'calls'" in found
    assert not output.parent.exists()
    before = frozen_graph(tmp_path / "old.pb").path.read_bytes()
    assert main(["freeze", str(source.path), "-o", str(tmp_path / "old.pb")]) == 2
    assert (tmp_path / "old.pb").read_bytes() == before
    assert main(["freeze", str(source.path), "-o", str(tmp_path)]) == 2
    assert "is a directory: expected a file" in _error(capsys)
    # The control: a signature that does not change the variable.
    assert main(["freeze", str(source.path), "-o", str(output), "--signature", "checked"]) == 0
    assert output.exists()


def test_a_table_that_exceeds_the_memory_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(size: int) -> None:
        with tf.Graph().as_default() as graph:
            ids = tf.compat.v1.placeholder(tf.int64, [2], name="ids")
            keys = tf.raw_ops.Fill(
                dims=tf.constant([size], tf.int64), value=tf.constant(7, tf.int64)
            )
            content = tf.lookup.KeyValueTensorInitializer(keys, keys)
            tf.identity(tf.lookup.StaticHashTable(content, -1).lookup(ids), name="out")
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())

    words = ["freeze", str(tmp_path / "m.pb"), "-o", str(tmp_path / "o.pb"), "--outputs", "out"]
    write(1 << 36)
    assert main(words) == 2
    assert "its content is unknown before the model runs: OOM when allocating" in _error(capsys)
    assert not (tmp_path / "o.pb").exists()
    write(1)
    assert main(words) == 0


def test_time_limit(tmp_path: Path) -> None:
    script = tmp_path / "spinning.py"
    script.write_text("import sys\nwhile len(sys.argv) < 3: pass\n")
    limits = full_tensorflow.Limits(1 << 30, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path))
        with pytest.raises(full_tensorflow.Failed, match="more than 1 seconds of processor time"):
            full_tensorflow.run("spinning", ["a"], tmp_path, limits)
        full_tensorflow.run("spinning", ["a", "b"], tmp_path, limits)


_OPS = ("Cosh", "Const", "Identity", "Mul", "NoOp", "Placeholder", "Relu", "_Arg")


def _index(path: Path, ops: Sequence[str] = _OPS) -> Path:
    """Writes an index of ops, by default those that the frozen two_signatures needs."""
    index = KernelIndex(
        TensorflowFacts("9.8.7", "ab" * 32, ()),
        tuple(registration(name, f"{name}Op") for name in ops),
        tuple(tensorflow_ops.definitions()[name] for name in ops),
        (),
        {},
        (),
    )
    path.write_bytes(index.to_json())
    return path


def test_select_and_inspect_freeze_a_saved_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = two_signatures(tmp_path / "m")
    assert main(["inspect", str(folder), "--freeze"]) == 0
    frozen = capsys.readouterr().out
    assert main(["inspect", str(folder)]) == 0
    assert "ReadVariableOp" in capsys.readouterr().out and "ReadVariableOp" not in frozen
    assert main(["inspect", str(folder), "--signature", "other"]) == 0
    assert capsys.readouterr().out.startswith("signatures: 1\n  other\n    input  ")
    words = ["select", str(folder), "--index", str(_index(tmp_path / "index.json"))]
    output = tmp_path / "s.json"
    for options, ops in (
        ([], {"Relu"}),
        (["--signature", "other"], {"Cosh"}),
        (["--signature", "other", "--signature", "serving_default"], {"Cosh", "Relu"}),
    ):
        assert main([*words, "--freeze", *options, "-o", str(output)]) == 0, _error(capsys)
        document = json.loads(output.read_bytes())
        assert {found["name"] for found in document["ops"]} & {"Cosh", "Relu"} == ops
        assert {model["path"] for model in document["models"]} == {str(folder)}
    # The unfrozen model needs ops of variables, which the index lacks.
    assert main([*words, "-o", str(output)]) == 1
    assert "VarHandleOp" in _error(capsys)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--signature=train", "no signature train: it has __saved_model_init_op, other, serv"),
        ("--tags=gpu", "no graph has exactly the tags gpu: the model has serve"),
    ],
)
def test_select_rejects_unknown_signatures(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = two_signatures(tmp_path / "m")
    output = tmp_path / "s.json"
    words = ["--index", str(_index(tmp_path / "index.json")), "-o", str(output)]
    assert main(["select", str(folder), "--freeze", option, *words]) == 2
    assert message in _error(capsys)
    assert not output.exists()


def test_inspect_shows_the_tensors_of_signatures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SavedModels of TensorFlow 1 and 2; the command line that freezes one creates the model of the other lines."""
    both = {
        v1_table(tmp_path / "v1").path: """
  serving_default
    input  words = words:0  string  [?, 2]
    output numbers = hash_table_Lookup/LookupTableFindV2:0  int64  [?, 2]
    output size = hash_table_Size/LookupTableSizeV2:0  int64  []
""",
        two_signatures(tmp_path / "v2"): """
  other
    input  features = other_features:0  float32  [1, 6]
    output z = StatefulPartitionedCall:0  float32  [1, 6]
  serving_default
    input  features = serving_default_features:0  float32  [1, 6]
    output y = StatefulPartitionedCall_1:0  float32  [1, 6]
""",
    }
    for path, shown in both.items():
        assert main(["inspect", str(path)]) == 0
        assert shown in capsys.readouterr().out
        assert main(["inspect", str(path), "--json"]) == 0
        (_, *freeze), (_, model, *words), *_ = json.loads(capsys.readouterr().out)["commands"]
        assert main([*freeze[:-1], str(tmp_path / model)]) == 0
        nodes = {use.node for use in read_model(tmp_path / model, known.release()).nodes}
        assert {word.partition("=")[0] for word in words if not word.startswith("--")} <= nodes
        capsys.readouterr()


def test_golden_and_inspect_freeze_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = v1_table(tmp_path / "m")
    np.save(tmp_path / "words.npy", source.feeds["words"].astype("S8"))
    feeds = [f"--input=words={tmp_path / 'words.npy'}"]
    assert main(["golden", str(source.path), *feeds, f"--output=numbers={tmp_path / 'n.npy'}"]) == 0
    assert np.load(tmp_path / "n.npy").tolist() == source.expected["numbers"].tolist()
    created = keras_file(tmp_path / "m.keras", keras_model())
    assert main(["inspect", str(created.path)]) == 0
    shown = capsys.readouterr().out
    assert "features  Placeholder  float32  [?, 4]" in shown and "ReadVariableOp" not in shown
    with pytest.raises(InvalidInput, match="no signature train: a Keras file has serving_default"):
        read_model(created.path, known.release(), Choice(signatures=("train",)))
    served = read_model(
        created.path, known.release(), Choice(signatures=("train", "serving_default"))
    )
    assert tuple(served.signatures) == ("serving_default",) and served.outputs == {"scores"}
    assert main(["golden", str(created.path), f"--output=none={tmp_path / 'x.npy'}"]) == 2
    assert f"{created.path}: full TensorFlow does not run it" in _error(capsys)


def _checkpoint_words(source: Source) -> list[str]:
    return [str(source.path), "--checkpoint", source.options["checkpoint"]]


@pytest.mark.parametrize("meta", [False, True])
def test_commands_freeze_a_graph_with_its_checkpoint(
    meta: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = checkpointed(tmp_path / "m", True, averages=True, meta=meta)
    words = [*_checkpoint_words(source), "--moving-averages"]
    ends = ["--inputs", "x", "--outputs", "scores"]
    frozen, prepared = tmp_path / "f.pb", tmp_path / "p.pb"
    assert main(["freeze", *words, *ends, "-o", str(frozen)]) == 0
    assert main(["inspect", *words, *ends]) == 0, _error(capsys)
    shown = capsys.readouterr().out
    assert "scores  Softmax" in shown and "VarHandleOp" not in shown
    assert main(["transform", *words, *ends, "-o", str(prepared), "--preset", "mobile"]) == 0
    found = outputs_of(prepared.read_bytes(), source)["scores"]
    assert np.allclose(found, source.expected["scores"], atol=1e-6)
    for b in (frozen, prepared):
        assert main(["compare", words[0], str(b), *words[1:], *ends]) == 0, _error(capsys)
    # The control: without the moving averages the values differ.
    assert main(["compare", words[0], str(frozen), *words[1:-1], *ends]) == 1
    assert "differs from" in _error(capsys)
    np.save(tmp_path / "x.npy", source.feeds["x"])
    files = [f"--input=x={tmp_path / 'x.npy'}", f"--output=scores={tmp_path / 'o.npy'}"]
    outputs = ["--outputs", "scores"] if meta else []
    assert main(["golden", *words, *outputs, *files]) == 0, _error(capsys)
    assert np.allclose(np.load(tmp_path / "o.npy"), source.expected["scores"], atol=1e-6)


def test_select_freezes_a_graph_with_its_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = checkpointed(tmp_path / "m", False, meta=True)
    ops = (
        "BiasAdd",
        "Const",
        "Identity",
        "MatMul",
        "NoOp",
        "Placeholder",
        "Softmax",
        "AddV2",
        "_Arg",
    )
    index = tmp_path / "index.json"
    _index(index, ops)
    output = tmp_path / "s.json"
    words = ["--index", str(index), "-o", str(output)]
    freeze = [*_checkpoint_words(source), "--outputs", "scores"]
    assert main(["select", *freeze, *words]) == 0, _error(capsys)
    document = json.loads(output.read_bytes())
    assert "Softmax" in {found["name"] for found in document["ops"]}
    assert [(m["path"], m["format"]) for m in document["models"]] == [
        (str(source.path), "meta_graph")
    ]
    # --freeze applies to a MetaGraphDef too.
    assert main(["select", str(source.path), "--freeze", *words]) == 2
    assert "there is no signature 'serving_default'" in _error(capsys)
    assert main(["select", str(source.path), *freeze, *words]) == 2
    assert "--checkpoint: applies to one model, but there are 2" in _error(capsys)


def test_golden_of_variables_without_a_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = checkpointed(tmp_path / "m", False)
    assert main(["golden", str(source.path), f"--output=scores={tmp_path / 'o.npy'}"]) == 2
    found = _error(capsys)
    assert (
        "is a variable (VariableV2): pass the checkpoint with its value with --checkpoint" in found
    )


def test_transform_of_inputs_with_several_outputs(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        raw = tf.compat.v1.placeholder(tf.float32, [4], name="raw")
        low, high = tf.split(raw, 2, name="decoded")
        tf.subtract(low, high, name="y")
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    frozen, output = str(tmp_path / "f.pb"), tmp_path / "o.pb"
    ends = ["--inputs", "decoded,decoded:1", "--outputs", "y"]
    assert main(["freeze", str(tmp_path / "m.pb"), "-o", frozen, *ends]) == 0
    words = ["--transforms", "strip_unused_nodes", "-o", str(output)]
    assert main(["transform", frozen, "--inputs", "decoded,decoded_1", *ends[2:], *words]) == 0
    found = run(output.read_bytes(), {"decoded": [3, 4], "decoded_1": [1, 1]}, ["y"])
    assert found["y"].tolist() == [2, 3]
