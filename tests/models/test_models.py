"""The models of the zoo: their ops and outputs, and that the app's model is up to date."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from models import frozen, make, zoo

APP = Path(os.environ["RUNFILES_DIR"]) / "_main/tests/e2e/bzlmod"


def test_model_of_the_app_is_up_to_date(tmp_path: Path) -> None:
    model = tmp_path / "tiny.pb"
    assert make.main(["tiny", f"--model={model}"]) == 0
    assert (APP / "tiny.pb").read_bytes() == model.read_bytes(), (
        "to update: ./bazelw run //tests/models:make_model -- tiny "
        "--model $PWD/tests/e2e/bzlmod/tiny.pb"
    )


def test_tiny_uses_the_custom_op() -> None:
    model = zoo.tiny()
    assert sorted(node.op for node in model.graph.node) == [
        "AppScale",
        "Const",
        "Identity",
        "MatMul",
        "Placeholder",
        "Relu",
    ]
    assert model.output.tolist() == [[0, 30, 60], [36, 42, 48]]


def test_frozen_classifier_has_no_functions_and_its_classes_differ() -> None:
    model = zoo.mobilenet_v2()
    ops = {node.op for node in model.graph.node}
    assert {"Relu6", "DepthwiseConv2dNative"} <= ops
    assert not ops & {"ReadVariableOp", "VarHandleOp", "PartitionedCall", "NoOp"}
    assert model.output.shape == (1, 1000)
    assert model.output.sum() == pytest.approx(1)
    assert model.output.max() > 0.1
    outputs = frozen.run(model.graph, {frozen.INPUT: model.input}, [frozen.OUTPUT])
    np.testing.assert_allclose(outputs[0], model.output, atol=1e-7)


def test_lstm_is_a_loop_and_its_classes_differ() -> None:
    model = zoo.lstm()
    ops = {node.op for node in model.graph.node}
    assert {"Enter", "LoopCond", "Merge", "NextIteration", "Switch", "Exit", "MatMul"} <= ops
    assert model.output.sum() == pytest.approx(1)
    assert model.output.max() > 0.1


@pytest.mark.parametrize(
    ("create", "ops"),
    [
        (zoo.lstm_256, {"Enter", "NextIteration", "MatMul"}),
        (zoo.transformer, {"Einsum", "Erf", "GatherV2", "SquaredDifference"}),
        (zoo.audio_cnn, {"Conv2D", "ExpandDims", "MaxPool"}),
    ],
)
def test_benchmarked_models_have_their_ops_and_classes_that_differ(
    create: Callable[[], zoo.ZooModel], ops: set[str]
) -> None:
    model = create()
    assert ops <= {node.op for node in model.graph.node}
    assert model.output.sum() == pytest.approx(1)
    assert model.output.max() > 0.1


def test_lite_file_has_the_output_of_the_graph(tmp_path: Path) -> None:
    lite, fed, output = (tmp_path / name for name in ("lstm.tflite", "in.npy", "out.npy"))
    options = [f"--lite={lite}", f"--input={fed}", f"--output={output}"]
    assert make.main(["lstm", *options]) == 0
    interpreter = tf.lite.Interpreter(str(lite))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.load(fed))
    interpreter.invoke()
    actual = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    np.testing.assert_allclose(actual, np.load(output), atol=1e-6)


def test_graph_without_keras_model_has_no_lite_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        make.main(["tiny", f"--lite={tmp_path / 'tiny.tflite'}"])
    assert caught.value.code == 2
    assert "tiny is no Keras model" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_requested_files_are_written(tmp_path: Path) -> None:
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
