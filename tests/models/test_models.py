"""The makers of models: the same bytes each time, and what is checked in is what they make."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from models import frozen, make, zoo

APP = Path(os.environ["RUNFILES_DIR"]) / "_main/tests/e2e/bzlmod"


def test_the_apps_model_is_what_its_maker_makes(tmp_path: Path) -> None:
    made = tmp_path / "tiny.pb"
    assert make.main(["tiny", f"--model={made}"]) == 0
    assert (APP / "tiny.pb").read_bytes() == made.read_bytes(), (
        "to update: ./bazelw run //tests/models:make_model -- tiny "
        "--model $PWD/tests/e2e/bzlmod/tiny.pb"
    )


def test_tiny_uses_the_custom_op_and_knows_its_answer() -> None:
    made = zoo.tiny()
    assert sorted(node.op for node in made.graph.node) == [
        "AppScale",
        "Const",
        "Identity",
        "MatMul",
        "Placeholder",
        "Relu",
    ]
    assert made.output.tolist() == [[0, 30, 60], [36, 42, 48]]


def test_frozen_classifier_is_one_graph_whose_answers_differ() -> None:
    made = zoo.mobilenet_v2()
    ops = {node.op for node in made.graph.node}
    assert {"Relu6", "DepthwiseConv2dNative"} <= ops
    assert not ops & {"ReadVariableOp", "VarHandleOp", "PartitionedCall", "NoOp"}
    assert made.output.shape == (1, 1000)
    assert made.output.sum() == pytest.approx(1)
    assert made.output.max() > 0.1
    again = frozen.run(made.graph, {frozen.INPUT: made.input}, [frozen.OUTPUT])
    np.testing.assert_allclose(again[0], made.output, atol=1e-7)


def test_lstm_is_a_loop_whose_answers_differ() -> None:
    made = zoo.lstm()
    ops = {node.op for node in made.graph.node}
    assert {"Enter", "LoopCond", "Merge", "NextIteration", "Switch", "Exit", "MatMul"} <= ops
    assert made.output.sum() == pytest.approx(1)
    assert made.output.max() > 0.1


@pytest.mark.parametrize(
    ("maker", "ops"),
    [
        (zoo.lstm_256, {"Enter", "NextIteration", "MatMul"}),
        (zoo.transformer, {"Einsum", "Erf", "GatherV2", "SquaredDifference"}),
        (zoo.audio_cnn, {"Conv2D", "ExpandDims", "MaxPool"}),
    ],
)
def test_benchmarked_models_have_their_ops_and_answers_that_differ(
    maker: Callable[[], zoo.Made], ops: set[str]
) -> None:
    made = maker()
    assert ops <= {node.op for node in made.graph.node}
    assert made.output.sum() == pytest.approx(1)
    assert made.output.max() > 0.1


def test_lite_file_answers_as_the_graph_does(tmp_path: Path) -> None:
    lite, fed, output = (tmp_path / name for name in ("lstm.tflite", "in.npy", "out.npy"))
    options = [f"--lite={lite}", f"--input={fed}", f"--output={output}"]
    assert make.main(["lstm", *options]) == 0
    interpreter = tf.lite.Interpreter(str(lite))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.load(fed))
    interpreter.invoke()
    given = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    np.testing.assert_allclose(given, np.load(output), atol=1e-6)


def test_graph_drawn_by_hand_has_no_lite_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        make.main(["tiny", f"--lite={tmp_path / 'tiny.tflite'}"])
    assert caught.value.code == 2
    assert "tiny is no Keras model" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_files_are_written_as_asked(tmp_path: Path) -> None:
    fed, output = tmp_path / "new folder/in.npy", tmp_path / "out.npy"
    assert make.main(["tiny", f"--input={fed}", f"--output={output}"]) == 0
    assert np.load(fed).shape == (2, 4)
    assert np.load(output).shape == (2, 3)
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["in.npy", "out.npy"]


def test_unknown_model(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        make.main(["resnet"])
    assert caught.value.code == 2
    assert "inception_v3" in capsys.readouterr().err
