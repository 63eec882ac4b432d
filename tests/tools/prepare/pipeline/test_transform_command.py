"""Tests of `tfcarve transform`: presets, messages, and that a failure writes nothing."""

import functools
from pathlib import Path

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tfcarve import cli
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.pipeline import pipeline, presets

pytestmark = pytest.mark.usefixtures("reused")

_X = prepared.noise(1, 16, 16, 3)


def _keras() -> tf.keras.Model:
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(3)
    drawn = {
        "gamma_initializer": tf.keras.initializers.RandomUniform(0.5, 1.5),
        "beta_initializer": tf.keras.initializers.RandomUniform(-1, 1),
        "moving_mean_initializer": tf.keras.initializers.RandomUniform(-1, 1),
        "moving_variance_initializer": tf.keras.initializers.RandomUniform(0.5, 1.5),
    }
    return tf.keras.Sequential(
        [
            layers.Input((16, 16, 3)),
            layers.Conv2D(8, 3, use_bias=False),
            layers.BatchNormalization(**drawn),
            layers.ReLU(6.0),
            layers.DepthwiseConv2D(3),
            layers.BatchNormalization(**drawn),
            layers.ReLU(),
            layers.Dropout(0.5),
            layers.Reshape((12 * 12, 8)),
            layers.Conv1D(4, 3),
            layers.BatchNormalization(**drawn),
            layers.Flatten(),
            layers.Dense(5),
            layers.BatchNormalization(**drawn),
            layers.Softmax(),
        ]
    )


@functools.cache
def _drawn() -> Graph:
    model = _keras()
    function = tf.function(lambda x: tf.identity(model(x, training=False), name="y"))
    spec = tf.TensorSpec(_X.shape, tf.float32, name="x")
    frozen = convert_variables_to_constants_v2(function.get_concrete_function(spec))
    return prepared.from_tensorflow(frozen.graph.as_graph_def())


def _write(path: Path) -> Graph:
    graph = prepared.copy(_drawn())
    graph_file.write_graph(path, graph)
    return graph


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _run(*arguments: str) -> int:
    return cli.main(["transform", *arguments])


def test_the_preset_mobile(capsys: pytest.CaptureFixture[str]) -> None:
    before = _write(Path("m.pb"))
    size = Path("m.pb").stat().st_size
    ends = ("--inputs", "x", "--outputs", "y")
    assert _run("m.pb", "-o", "n.pb", *ends, "--preset", "mobile") == 0
    after = graph_file.read_graph(Path("n.pb"))
    said = f"{len(before.nodes)} nodes, {size:,} bytes -> {len(after.nodes)} nodes"
    assert said in capsys.readouterr().out
    assert len(after.nodes) < len(before.nodes) / 2
    norms = {"FusedBatchNormV3", "Mul", "AddV2", "Sub", "Rsqrt"}
    assert norms & prepared.ops(before).keys() == {
        "FusedBatchNormV3",
        "Mul",
        "AddV2",
        "Sub",
        "Rsqrt",
    }
    assert norms.isdisjoint(prepared.ops(after))
    assert prepared.difference(before, after, {"x": _X}) < 1e-5
    assert prepared.ran(after, {"x": _X}, ["y"])[0].std() > 0.01

    assert _run("m.pb", "-o", "f.pb", *ends, "--preset", "mobile", "--fuse") == 0
    fused = graph_file.read_graph(Path("f.pb"))
    assert {"_FusedConv2D", "_FusedMatMul"} < prepared.ops(fused).keys()
    assert prepared.difference(before, fused, {"x": _X}) < 1e-5


def test_fused_models_are_compared_on_every_cpu(
    own_processes: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TensorFlow disables oneDNN by itself on older CPUs; its other kernel has no fused depthwise convolutions."""
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    _write(Path("m.pb"))
    ends = ("--inputs", "x", "--outputs", "y")
    assert _run("m.pb", "-o", "f.pb", *ends, "--preset", "mobile", "--fuse") == 0
    assert cli.main(["compare", "m.pb", "f.pb", *ends]) == 0, capsys.readouterr().err


def test_output_is_deterministic_and_may_be_the_input(own_processes: None) -> None:
    _write(Path("m.pb"))
    assert _run("m.pb", "-o", "1.pb", "--preset", "mobile") == 0
    assert _run("m.pb", "-o", "2.pb", "--preset", "mobile") == 0
    assert Path("1.pb").read_bytes() == Path("2.pb").read_bytes()
    assert _run("m.pb", "-o", "m.pb", "--preset", "mobile") == 0
    assert Path("m.pb").read_bytes() == Path("1.pb").read_bytes()


def _small(path: Path) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2], name="x")
        tf.add(x, tf.identity(tf.constant([1.0, 2.0])), name="y")

    graph_file.write_graph(path, prepared.drawn(draw))


def test_default_inputs_and_outputs() -> None:
    _small(Path("m.pbtxt"))
    assert _run("m.pbtxt", "-o", "n.pbtxt", "--transforms", "fold_constants") == 0
    assert "Identity" not in Path("n.pbtxt").read_text()
    graph = graph_file.read_graph(Path("n.pbtxt"))
    y = prepared.ran(graph, {"x": np.ones(2, np.float32)}, ["y"])[0]
    assert y.tolist() == [2, 3]


def test_ignore_errors() -> None:
    _small(Path("m.pb"))
    transform = "freeze_requantization_ranges(min_max_log_file=missing.log"
    assert _run("m.pb", "-o", "n.pb", "--transforms", f"{transform})") == 2
    assert not Path("n.pb").exists()
    transforms = f"{transform}, ignore_errors=true) remove_nodes(op=Identity)"
    assert _run("m.pb", "-o", "n.pb", "--transforms", transforms) == 0
    assert "Identity" not in prepared.ops(graph_file.read_graph(Path("n.pb")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--transforms", "fold_constant"), "transform 'fold_constant' is unknown; did you mean fold_constants"),
        (("--transforms", "fold_constants(clear_output_shape=true)"), "parameter 'clear_output_shape' is unknown; did you mean clear_output_shapes"),
        (("--transforms", "fold_constants(ignore_errors=perhaps)"), "ignore_errors='perhaps': expected true or false"),
        (("--transforms", "fold_constants(clear_output_shapes=2)"), "clear_output_shapes='2': expected true or false"),
        (("--transforms", " "), "transforms: the list is empty"),
        (("--transforms", "fold_constants", "--outputs", "z"), "m.pb: output 'z' is not a node of the graph"),
        (("--transforms", "fold_constants", "--outputs", "Identiti"), "did you mean Identity?"),
        (("--transforms", "fold_constants", "--inputs", "w"), "m.pb: input 'w' is not a node of the graph"),
        (("--transforms", "fold_constants(q=1)"), "parameter 'q' is unknown. Its parameters are: clear_output_shapes"),
        (("--preset", "mobil"), "preset 'mobil' is unknown; did you mean mobile? The presets are: int8, mobile, weights16, weights8"),
        (("--preset", "mobile", "--ranges", "r.json"), "preset 'mobile' takes no ranges: --ranges requires --preset int8 or weights8"),
        (("--transforms", "quantize_nodes", "--ranges", "r.json"), "--ranges requires --preset int8 or weights8: in a list of transforms write"),
        (("--preset", "int8", "--ranges", "r.json"), "r.json: no such file"),
    ],
)  # fmt: skip
def test_invalid_arguments(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _small(Path("m.pb"))
    assert _run("m.pb", "-o", "n.pb", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not Path("n.pb").exists()


def test_one_of_transforms_and_preset() -> None:
    _small(Path("m.pb"))
    assert _run("m.pb", "-o", "n.pb") == 2
    assert _run("m.pb", "-o", "n.pb", "--preset", "mobile", "--transforms", "fold_constants") == 2


def test_missing_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("m.pb", "-o", "n.pb", "--preset", "mobile") == 2
    assert "m.pb: no such file" in capsys.readouterr().err
    Path("m.pb").write_bytes(b"\x0a\x0b\x0a\x01a\x12\x03Neg\x1a\x01a")
    assert _run("m.pb", "-o", "n.pb", "--preset", "mobile") == 2
    assert "m.pb: node 'a': depends on itself" in capsys.readouterr().err


def test_all_presets_parse() -> None:
    assert presets.NAMES == ("int8", "mobile", "weights16", "weights8")
    for name in presets.NAMES:
        pipeline.require(presets.preset(name, fuses=True))


@pytest.mark.parametrize(
    ("name", "step", "is_before"),
    [
        ("weights8", "quantize_weights", True),
        ("weights16", "half_weights", True),
        ("int8", "quantize_nodes", False),
    ],
)
def test_where_presets_fuse(name: str, step: str, is_before: bool) -> None:
    """Fused ops take constants that are not converted when the model runs, and have no quantized equivalents."""
    names = [each.name for each in presets.preset(name, fuses=True)]
    assert (names.index("fuse_ops") < names.index(step)) == is_before
    assert [each.name for each in presets.FUSE] == [n for n in names if n.startswith("fuse_")] + [
        "fold_pads"
    ]
    assert "fuse_ops" not in [each.name for each in presets.preset(name)]


def test_ranges_of_the_preset() -> None:
    ranges = Path("r s.json")
    steps = {each.name: each.parameters for each in presets.preset("int8", ranges=ranges)}
    assert steps["quantize_nodes"] == {
        "per_channel": ("true",),
        "ranges": ("r s.json",),
        "depthwise": ("true",),
    }
    names = [each.name for each in presets.preset("int8")]
    before = [each.name for each in presets.before_quantize_nodes()]
    assert [*before, "quantize_nodes"] == names[: len(before) + 1]


def test_biases_are_corrected_before_ops_are_fused() -> None:
    ranges = Path("r.json")
    names = [each.name for each in presets.preset("weights8", fuses=True, ranges=ranges)]
    order = [names.index(name) for name in ("correct_biases", "fuse_ops", "quantize_weights")]
    assert order == sorted(order)
    assert "correct_biases" not in [each.name for each in presets.preset("weights8")]


def test_ranges_of_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    before = _write(Path("m.pb"))
    np.savez("x.npz", x=_X)
    ends = ("--inputs", "x", "--outputs", "y")
    assert cli.main(["calibrate", "m.pb", "--data", "x.npz", "-o", "r.json", *ends]) == 0
    words = (*ends, "--preset", "int8", "--ranges", "r.json")
    assert _run("m.pb", "-o", "n.pb", *words) == 0
    after = graph_file.read_graph(Path("n.pb"))
    assert prepared.ops(after)["QuantizedConv2D"] == 2
    assert prepared.difference(before, after, {"x": _X}) < 0.05
    Path("n.pb").unlink()
    next(node for node in before.nodes if node.op == "Relu").op = "Relu6"
    graph_file.write_graph(Path("m.pb"), before)
    assert _run("m.pb", "-o", "n.pb", *words) == 2
    assert (
        "r.json: was measured on another model: tfcarve calibrate m.pb" in capsys.readouterr().err
    )
    assert not Path("n.pb").exists()


def test_names_of_inputs_and_outputs_stay() -> None:
    _write(Path("m.pb"))
    assert _run("m.pb", "-o", "n.pb", "--outputs", "y", "--preset", "mobile", "--fuse") == 0
    assert {"x", "y"} < by_name(graph_file.read_graph(Path("n.pb"))).keys()


def test_preset_is_idempotent() -> None:
    _write(Path("m.pb"))
    ends = ("--inputs", "x", "--outputs", "y", "--preset", "mobile")
    assert _run("m.pb", "-o", "1.pb", *ends) == 0
    assert _run("1.pb", "-o", "2.pb", *ends) == 0
    assert Path("1.pb").read_bytes() == Path("2.pb").read_bytes()
