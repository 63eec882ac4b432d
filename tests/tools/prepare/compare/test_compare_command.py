"""`tfcarve compare`: its output, exit status and errors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from compared import Draw, compared, saved, tf1, two_layers

from tfcarve.cli import main

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked", "reused")


@pytest.fixture(name="models")
def _models(tmp_path: Path) -> tuple[Path, Path]:
    """Two models; the second layer's weights differ by 1 %."""
    return saved(tmp_path, "a", two_layers()), saved(tmp_path, "b", two_layers(1.0, 1.01))


def test_a_model_is_the_same_as_itself(
    models: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, error = compared(capsys, models[0], models[0], "--tolerance", "0")
    assert (status, error) == (0, "")
    (output,) = document["outputs"]
    assert (output["name"], output["within"], output["largest"]) == ("y", True, 0)
    assert output["cosine"] == pytest.approx(1)
    assert (document["samples"], document["first_difference"]) == (3, None)


def test_a_model_that_differs(
    models: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, error = compared(capsys, *models)
    assert status == 1
    assert document["outputs"][0]["within"] is False
    assert document["first_difference"]["node"] == "b"
    assert document["first_difference"]["constants"] == ["b_weights"]
    assert "1 of 1 outputs by more than 1e-05" in error
    assert "first node that differs: 'b' (MatMul): differs by" in error
    assert "its constants have other values: 'b_weights'" in error


def test_tolerance(models: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    _, document, _ = compared(capsys, *models)
    error = document["outputs"][0]["error"]
    for factor, status in ((1.001, 0), (0.999, 1)):
        assert compared(capsys, *models, "--tolerance", str(error * factor))[0] == status


def test_the_table(models: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *map(str, models)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 samples of random values"
    assert lines[1].split() == ["output", "largest", "mean", "cosine", "top-1", "top-5", "result"]
    assert re.fullmatch(r"y +\S+ +\S+ +\d\.\d{7} +100\.0% +over 1e-05", lines[2])


def test_figures(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report agrees with figures that numpy computes from the outputs of TensorFlow's own session."""
    data = np.random.default_rng(1).normal(size=(2, 4, 3)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=data)
    _, document, _ = compared(capsys, *models, "--data", tmp_path / "x.npz")
    results = []
    for path in models:
        definition = tf1.GraphDef.FromString(path.read_bytes())
        with tf.Graph().as_default() as graph, tf1.Session(graph=graph) as session:
            tf.import_graph_def(definition, name="")
            results.append([session.run("y:0", {"x:0": sample}) for sample in data])
    a, b = np.array(results, np.float64)
    (output,) = document["outputs"]
    assert document["samples"] == 2
    assert output["elements"] == a.size
    assert output["largest"] == pytest.approx(np.abs(a - b).max(), rel=1e-4)
    assert output["mean"] == pytest.approx(np.abs(a - b).mean(), rel=1e-4)
    assert output["top1"] == (a.argmax(-1) == b.argmax(-1)).mean()
    cosines = [
        (x * y).sum() / np.linalg.norm(x) / np.linalg.norm(y) for x, y in zip(a, b, strict=True)
    ]
    assert output["cosine"] == pytest.approx(min(cosines), abs=1e-9)


def _all_kinds(offset: int) -> Draw:
    """Draws inputs of five types, one of them indices, and an output for each."""

    def draw() -> None:
        ids = tf1.placeholder(tf.int64, [None], name="ids")
        flag = tf1.placeholder(tf.bool, [], name="flag")
        text = tf1.placeholder(tf.string, [None, 2], name="text")
        wide = tf1.placeholder(tf.float64, [2], name="wide")
        image = tf1.placeholder(tf.uint8, [1, 2, 2, 3], name="image")
        tf.gather(tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3)), ids, name="rows")
        tf.where(flag, wide, -wide, name="chosen")
        tf.strings.join([text, "!"], name="said")
        tf.add(tf.cast(image, tf.int32), offset, name="pixels")

    return draw


def test_all_kinds_of_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = saved(tmp_path, "a", _all_kinds(0))
    status, document, error = compared(capsys, a, a)
    assert (status, error) == (0, "")
    assert {o["name"] for o in document["outputs"]} == {"rows", "chosen", "said", "pixels"}
    assert all(o["elements"] for o in document["outputs"])


def test_integers_must_be_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [saved(tmp_path, name, _all_kinds(n)) for n, name in enumerate("ab")]
    status, document, _ = compared(capsys, *paths, "--tolerance", "100")
    assert status == 1
    found = {o["name"]: (o["within"], o["largest"], o["error"]) for o in document["outputs"]}
    assert found["pixels"] == (False, 1, None)
    assert found["rows"] == (True, 0, 0)
    assert document["first_difference"]["node"] == "pixels"
    assert compared(capsys, *paths, "--outputs", "rows,said")[0] == 0


def _shaped(shape: list[int], name: str = "y") -> Draw:
    return lambda: tf.reshape(tf1.placeholder(tf.float32, [4], name="x"), shape, name=name)


def test_shapes_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [saved(tmp_path, n, _shaped(s)) for n, s in (("a", [4]), ("b", [2, 2]))]
    status, document, error = compared(capsys, *paths)
    assert status == 1
    assert document["outputs"][0]["problem"] == "float32 [4] and float32 [2, 2]"
    assert document["outputs"][0]["largest"] is None
    assert "output 'y' float32 [4] and float32 [2, 2]" in error


def test_an_intermediate_input(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The layer that differs is before the fed tensor, so no output differs."""
    other = saved(tmp_path, "c", two_layers(2.0, 1.0))
    assert compared(capsys, models[0], other)[0] == 1
    assert compared(capsys, models[0], other, "--inputs", "a_tanh", "--tolerance", "0")[0] == 0


def test_outputs_that_only_one_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def more() -> None:
        _shaped([4])()
        tf.reshape(tf.constant([1.0]), [1], name="more")

    paths = saved(tmp_path, "a", more), saved(tmp_path, "b", _shaped([4]))
    status, document, _ = compared(capsys, *paths)
    assert (status, document["not_compared"]) == (0, ["more"])
    assert main(["compare", *map(str, paths)]) == 0
    assert "not compared because only one model has it: more" in capsys.readouterr().out


def _error(
    capsys: pytest.CaptureFixture[str], message: str, *words: object, status: int = 2
) -> None:
    found, document, error = compared(capsys, *words)
    assert (found, document) == (status, {}), error
    assert re.search(message, error), error


def test_unknown_names(models: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    _error(
        capsys,
        r"a\.pb: output 'yy' is not a node of the graph; did you mean y\?",
        *models,
        "--outputs",
        "yy",
    )
    _error(capsys, r"a\.pb: input 'z' is not a node of the graph", *models, "--inputs", "z")
    _error(capsys, r"a\.pb: output 'y:1': the node has no such output", *models, "--outputs", "y:1")


def test_models_with_different_inputs_and_outputs(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = saved(tmp_path, "c", _shaped([4], "z"))
    _error(
        capsys,
        r"a\.pb and .*c\.pb have no output in common: pass --outputs; nothing reads y of the first and z of the second",
        *(models[0], renamed),
    )
    other = saved(tmp_path, "d", lambda: tf1.placeholder(tf.float32, [4], name="w"))
    _error(capsys, r"d\.pb: input 'w' is not a Placeholder of .*a\.pb", models[0], other)


def test_a_model_that_does_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If the first model fails, the samples are invalid; if only the second one fails, it is broken."""

    def picked(row: int) -> Draw:
        def draw() -> None:
            x = tf1.placeholder(tf.float32, [None, 3], name="x")
            tf.gather(x, tf.constant(row), name="y")

        return draw

    good, bad = saved(tmp_path, "good", picked(0)), saved(tmp_path, "bad", picked(5))
    _error(
        capsys,
        r"bad\.pb: TensorFlow cannot run it on sample 0: .*pass valid inputs with --data",
        *(bad, good),
    )
    _error(
        capsys,
        r"bad\.pb: TensorFlow cannot run it on sample 0, on which .*good\.pb runs",
        good,
        bad,
        status=1,
    )
    np.savez(tmp_path / "x.npz", x=np.zeros((7, 3), np.float32))
    assert compared(capsys, bad, bad, "--data", tmp_path / "x.npz")[0] == 0


def test_a_model_that_tensorflow_rejects(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = 'node { name: "x" op: "Nowhere" }'
    (tmp_path / "n.pbtxt").write_text(text)
    _error(
        capsys, r"n\.pbtxt: TensorFlow cannot load it: .*Nowhere", models[0], tmp_path / "n.pbtxt"
    )


def test_invalid_data(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros((1, 4), np.float32))
    _error(
        capsys,
        r"x\.npz: array 'x' has the shape \[1, 4\]: the input takes \[\?, 3\]",
        *models,
        "--data",
        tmp_path / "x.npz",
    )
    _error(capsys, r"no\.npz: no such file", *models, "--data", tmp_path / "no.npz")


@pytest.mark.parametrize("tolerance", ["-1", "nan", "inf", "few"])
def test_invalid_tolerances(
    models: tuple[Path, Path], tolerance: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _error(capsys, "argument --tolerance: invalid", *models, f"--tolerance={tolerance}")


def test_models_that_are_not_frozen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([layers.Input((4,), name="x"), layers.Dense(3, name="y")])
    model.save("m.keras")
    tf.saved_model.save(model, "m")
    status, document, error = compared(capsys, Path("m"), Path("m.keras"))
    assert (status, error) == (0, "")
    assert [output["name"] for output in document["outputs"]] == ["y"]
    assert main(["transform", "m.keras", "-o", "m.pb", "--preset", "mobile"]) == 0
    assert compared(capsys, Path("m"), Path("m.pb"))[0] == 0


def test_invalid_models(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.keras").write_bytes(b"PK")
    _error(capsys, r"m\.keras: is not loaded", models[0], tmp_path / "m.keras")
    _error(capsys, r"without saved_model\.pb", models[0], tmp_path)
    _error(capsys, r"none\.pb: no such file", models[0], tmp_path / "none.pb")


def test_output_file(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "found.json"
    assert main(["compare", *map(str, models), "--json", "-o", str(written)]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads(written.read_bytes())["first_difference"]["node"] == "b"
    assert main(["compare", *map(str, models), "-o", str(written)]) == 2
    assert "-o requires --json" in capsys.readouterr().err


_WITHOUT_PACKAGES = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("google", "numpy"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from tfcarve.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_missing_packages(models: tuple[Path, Path]) -> None:
    """Importing numpy or protobuf fails, as in a Python that has neither."""
    words = [sys.executable, "-c", _WITHOUT_PACKAGES, "compare", *map(str, models)]
    environment = {**os.environ, "PYTHONPATH": str(Path(main.__code__.co_filename).parents[1])}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert "numpy and google.protobuf: not installed" in done.stderr
    assert "pip install 'tfcarve[tensorflow]'" in done.stderr


def test_hint_with_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node between two others was removed."""

    def draw(activated: bool) -> Draw:
        def created() -> None:
            x = tf1.placeholder(tf.float32, [4], name="x")
            middle = tf.nn.relu(x, name="relu") if activated else x
            tf.add(middle, 1.0, name="y")

        return created

    paths = [saved(tmp_path, str(n), draw(not n)) for n in (0, 1)]
    _, document, error = compared(capsys, *paths)
    assert document["first_difference"]["inputs"] == [["relu", "y/y"], ["x", "y/y"]]
    assert "its inputs: relu, y/y now x, y/y" in error
