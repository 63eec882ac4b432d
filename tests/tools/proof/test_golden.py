"""Tests of tfcarve golden: outputs of full TensorFlow, and errors."""

import importlib.util
import sys
from pathlib import Path

import lite_models
import numpy as np
import pytest
import tensorflow as tf

from tfcarve.cli import main
from tfcarve.proof import golden_index

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of z = x + y and a second output."""
    folder = tmp_path_factory.mktemp("golden")
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        y = tf.compat.v1.placeholder(tf.float32, [2], name="y")
        tf.add(x, y, name="z")
        tf.split(x, 2, name="halves")
    (folder / "add.pb").write_bytes(graph.as_graph_def().SerializeToString())
    np.save(folder / "x.npy", np.array([1, 2], np.float32))
    np.save(folder / "y.npy", np.array([10, 20], np.float32))
    np.save(folder / "three.npy", np.array([1, 2, 3], np.float32))
    return folder / "add.pb"


def test_a_sample(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    assert main(["golden", str(model), f"--sample={folder}"]) == 0
    sample = golden_index.read(folder)
    assert [entry.tensor for entry in sample.inputs] == ["x", "y"]
    assert [entry.tensor for entry in sample.outputs] == ["z", "halves", "halves:1"]
    fed, found = (
        [np.load(folder / entry.file) for entry in side] for side in (sample.inputs, sample.outputs)
    )
    assert all(array.any() for array in fed)
    for array, expected in zip(found, (fed[0] + fed[1], fed[0][:1], fed[0][1:]), strict=True):
        np.testing.assert_array_equal(array, expected)
    # The values are the same on each run.
    written = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert main(["golden", str(model), f"--sample={folder}"]) == 0
    assert written == {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_sample_of_given_values(model: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "xy.npz", x=np.float32([[1, 2], [3, 4]]), y=np.float32([[5, 6], [7, 8]]))
    words = ["golden", str(model), f"--sample={tmp_path / 'sample'}"]
    assert main([*words, f"--data={tmp_path / 'xy.npz'}"]) == 0
    assert np.load(tmp_path / "sample/output0.npy").tolist() == [6, 8]


def test_random_values_that_a_model_does_not_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model does not state the rank of its input; the message says how to pass values, which then works."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, None, name="x")
        tf.matmul(x, tf.eye(2), name="y")
    file = tmp_path / "product.pb"
    file.write_bytes(graph.as_graph_def().SerializeToString())
    words = ["golden", str(file), f"--sample={tmp_path / 'sample'}"]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "full TensorFlow does not run it: " in error
    assert "the inputs are random values: pass valid ones with --data FILE.npz" in error
    np.savez(tmp_path / "x.npz", x=np.float32([[1, 2]]))
    assert main([*words, f"--data={tmp_path / 'x.npz'}"]) == 0
    assert np.load(tmp_path / "sample/output0.npy").tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "pass --output NAME=FILE.npy, or --sample DIR"),
        (["--output=z=z.npy", "--data=x.npz"], "--sample DIR, which --data belongs to"),
        (
            ["--sample={folder}", "--output=z=z.npy"],
            "pass either --sample, or --input and --output",
        ),
        (["--sample={folder}"], "contains 'own.txt', which tfcarve did not write"),
        (["--sample=new", "--data={npz}"], "xy.npz: there is no array for the input 'y'"),
    ],
)
def test_invalid_samples(
    words: list[str], message: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, npz = tmp_path / "folder", tmp_path / "xy.npz"
    folder.mkdir()
    (folder / "own.txt").write_text("own")
    np.savez(npz, x=np.float32([1, 2]))
    filled = [word.format(folder=folder, npz=npz) for word in words]
    assert main(["golden", str(model), *filled]) == 2
    assert message in capsys.readouterr().err


def test_outputs_of_full_tensorflow(model: Path, tmp_path: Path) -> None:
    folder = model.parent
    outputs = [f"--output=z={tmp_path / 'z.npy'}", f"--output=halves:1={tmp_path / 'half.npy'}"]
    inputs = [f"--input=x={folder / 'x.npy'}", f"--input=y={folder / 'y.npy'}"]
    assert main(["golden", str(model), *inputs, *outputs]) == 0
    assert np.load(tmp_path / "z.npy").tolist() == [11, 22]
    assert np.load(tmp_path / "half.npy").tolist() == [2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--input=x=x.npy", "--output=z=z.npy"],
            "does not run it: You must feed a value for placeholder tensor 'y'",
        ),
        (
            ["--input=x=three.npy", "--output=z=z.npy"],
            "does not run it: Cannot feed value of shape (3,)",
        ),
        (
            ["--output=nothing=z.npy"],
            "The name 'nothing:0' refers to a Tensor which does not exist",
        ),
        (["--input=x=add.pb", "--output=z=z.npy"], "add.pb: not a .npy file, or damaged"),
        (["--input=x", "--output=z=z.npy"], "--input takes NAME=FILE.npy, not 'x'"),
        (["--output==z.npy"], "--output takes NAME=FILE.npy, not '=z.npy'"),
        (["--input=x=none.npy", "--output=z=z.npy"], "none.npy: no such file"),
    ],
)
def test_bad_input(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(model.parent)
    assert main(["golden", "add.pb", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error
    assert not Path("z.npy").exists()


@pytest.fixture(scope="module", name="noisy")
def _noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`small` is the rounding error of a sum of large numbers, `sum` the sum."""
    folder = tmp_path_factory.mktemp("noisy")
    drawn = np.random.default_rng(0)
    x, weights = (drawn.uniform(0, 100, shape) for shape in ((8, 4096), (4096, 16)))
    x, weights = x.astype(np.float32), weights.astype(np.float32)
    exact = (x.astype(np.float64) @ weights).astype(np.float32)
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, x.shape, name="x")
        total = tf.matmul(fed, tf.constant(weights), name="sum")
        tf.subtract(total, tf.constant(exact), name="small")
    (folder / "noisy.pb").write_bytes(graph.as_graph_def().SerializeToString())
    np.save(folder / "x.npy", x)
    return folder


def test_output_in_which_tensorflow_differs_from_itself(
    noisy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control is the output `sum`, for which there is no warning."""
    monkeypatch.chdir(noisy)
    outputs = ["--output=small=small.npy", "--output=sum=sum.npy"]
    assert main(["golden", "noisy.pb", "--input=x=x.npy", *outputs]) == 0
    (warning,) = capsys.readouterr().err.splitlines()
    assert "output 'small' differs by" in warning
    assert 'tolerance of tf_model_test above its default of 1e-05, such as {"float32": "' in warning


@pytest.fixture(scope="module", name="other")
def _other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`joined` and `joined_unicode` are strings, `half` has a type that .npy files do not have."""
    folder = tmp_path_factory.mktemp("other")
    with tf.Graph().as_default() as graph:
        text = tf.compat.v1.placeholder(tf.string, [None], name="text")
        unicode = tf.compat.v1.placeholder(tf.string, [None], name="unicode")
        for name, value in {"joined": text, "joined_unicode": unicode}.items():
            tf.strings.join([value, tf.constant("!")], name=name)
        tf.strings.join([text, tf.constant(b"\0")], name="zero")
        tf.cast(tf.constant([1.0]), tf.bfloat16, name="half")
    (folder / "text.pb").write_bytes(graph.as_graph_def().SerializeToString())
    np.save(folder / "bytes.npy", np.array([b"a", b"long"]))
    np.save(folder / "unicode.npy", np.array(["a", "é"]))
    return folder


def test_strings(other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(other)
    expected = {"joined": [b"a!", b"long!"], "joined_unicode": [b"a!", "é!".encode()]}
    inputs = ["--input=text=bytes.npy", "--input=unicode=unicode.npy"]
    outputs = [f"--output={name}={tmp_path / name}.npy" for name in expected]
    assert main(["golden", "text.pb", *inputs, *outputs]) == 0
    for name, strings in expected.items():
        found = np.load(tmp_path / f"{name}.npy")
        assert (found.dtype.kind, found.tolist()) == ("S", strings)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("half", "text.pb: the output 'half' has type bfloat16, which .npy files lack"),
        ("zero", "text.pb: the output 'zero' has a string that ends with a zero byte"),
    ],
)
def test_output_that_a_file_cannot_store(
    output: str,
    message: str,
    other: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(other)
    arguments = ["text.pb", "--input=text=bytes.npy", f"--output={output}=none.npy"]
    assert main(["golden", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not Path("none.npy").exists()


def test_without_tensorflow(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["golden", str(model), "--output=z=z.npy"]) == 2
    assert (
        f"tensorflow is not installed in {sys.executable}: pip install" in capsys.readouterr().err
    )


@pytest.fixture(scope="module", name="lite")
def _lite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models of TensorFlow Lite: m.tflite has signatures, flex.tflite an op of TensorFlow."""
    folder = tmp_path_factory.mktemp("golden_lite")
    model = lite_models.with_signatures("plus", "twice")
    (folder / "m.tflite").write_bytes(model)
    (folder / "one.tflite").write_bytes(lite_models.with_signatures("twice"))
    # Only the interpreter finds out that this is damaged: the reader of Flex ops finds none.
    (folder / "empty.tflite").write_bytes(b"\x08\0\0\0TFL3\0\0\0\0\0\0\0\0")
    (folder / "half.tflite").write_bytes(model[: len(model) // 2])
    (folder / "text.tflite").write_text("no model")
    flex = lite_models.without_signatures(tf.math.erf, select=True)
    (folder / "flex.tflite").write_bytes(flex)
    np.save(folder / "x.npy", np.array([1, 2], np.float32))
    np.save(folder / "y.npy", np.array(10, np.float32))
    np.save(folder / "int.npy", np.array([1, 2]))
    return folder


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["m.tflite", "--signature=plus", "--input=x=x.npy", "--input=y=y.npy", "--output=sum="],
            [11, 12],
        ),
        (["one.tflite", "--input=x=x.npy", "--output=double="], [2, 4]),
        (
            ["flex.tflite", "--input=x=x.npy", "--output=Identity="],
            pytest.approx([0.8427008, 0.9953223]),
        ),
    ],
)
def test_outputs_of_full_tensorflow_lite(
    arguments: list[str],
    expected: object,
    lite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(lite)
    file = tmp_path / "out.npy"
    assert main(["golden", *arguments[:-1], f"{arguments[-1]}{file}"]) == 0
    assert np.load(file).tolist() == expected


_TWICE = ["m.tflite", "--signature=twice", "--output=double=out.npy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*_TWICE, "--input=xx=x.npy"], "has no input 'xx'; did you mean x? Known inputs: x"),
        (
            [*_TWICE, "--input=x=x.npy", "--output=doubles=more.npy"],
            "the signature 'twice' has no output 'doubles'; did you mean double? Known outputs: double",
        ),
        ([*_TWICE, "--input=x=int.npy"], "the input 'x' has type float32, its value int64"),
        ([*_TWICE, "--input=x=m.tflite"], "m.tflite: not a .npy file"),
        (
            ["m.tflite", "--input=x=x.npy", "--output=double=out.npy"],
            "full TensorFlow Lite does not run it: the model has several signatures and none is serving_default: "
            "name one of plus, twice",
        ),
        (
            ["m.tflite", "--signature=twic", "--output=double=out.npy"],
            "no signature 'twic'; did you mean twice?",
        ),
        ([*_TWICE, "--checkpoint=c"], "m.tflite: --checkpoint is for models that are frozen"),
        ([*_TWICE, "--tags=serve"], "--tags is for models that are frozen"),
        ([*_TWICE, "--inputs=x"], "--inputs is for models that are frozen"),
        ([*_TWICE, "--moving-averages"], "--moving-averages is for models that are frozen"),
        ([*_TWICE, "--unroll=2"], "--unroll is for models that are frozen"),
        (["text.tflite", "--output=y=out.npy"], "not a TensorFlow Lite model"),
        (["half.tflite", "--output=y=out.npy"], "half.tflite: "),
        (["empty.tflite", "--output=y=out.npy"], "empty.tflite: "),
    ],
)
def test_bad_input_for_tensorflow_lite(
    arguments: list[str],
    message: str,
    lite: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(lite)
    before = set(lite.iterdir())
    assert main(["golden", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error
    assert set(lite.iterdir()) == before
