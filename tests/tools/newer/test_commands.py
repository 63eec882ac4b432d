"""Commands on models with ops and attributes that the built TensorFlow does not have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import indexes
import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from msgspec.structs import replace
from tensorflow.core.protobuf import saved_model_pb2

from tfcarve import cli, full_tensorflow
from tfcarve.newer import data, graph
from tfcarve.op_definition import Argument, Attr
from tfcarve.prepare.freeze import program
from tfcarve.registry.index import KernelIndex
from tfcarve.releases import known

_NEWER = data.load(known.release())
_POLICY = "bad_indices_policy"
_FLAG = Attr("bool", False)
_OPS = (
    replace(
        indexes.op("MatMul", T=Attr("type"), transpose_a=_FLAG, transpose_b=_FLAG),
        inputs=tuple(Argument(name, type_attr="T") for name in "ab"),
        outputs=(Argument("product", type_attr="T"),),
    ),
    replace(
        indexes.op("Placeholder", dtype=Attr("type"), shape=Attr("shape", "")),
        outputs=(Argument("output", type_attr="dtype"),),
    ),
)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder with an index; freezing runs in this process, which has loaded TensorFlow already."""
    monkeypatch.chdir(tmp_path)
    facts = replace(indexes.INDEX.tensorflow, version=_NEWER.data.tensorflow)
    kernels = tuple(indexes.registration(op.name, f"{op.name}Kernel") for op in _OPS)
    Path("index.json").write_bytes(KernelIndex(facts, kernels, _OPS).to_json())

    def run(module: str, arguments: Sequence[Path], *_: object) -> None:
        assert module == program.__name__
        program.main(str(arguments[0]))

    monkeypatch.setattr(full_tensorflow, "run", run)


def _attr(node: Any, name: str, content: bool | str) -> None:
    if isinstance(content, bool):
        node.attr[name].b = content
    else:
        node.attr[name].s = content.encode()


def _product(**attrs: bool | str) -> tf.compat.v1.GraphDef:
    """A graph with a matrix product, whose node has further attributes."""
    with tf.Graph().as_default() as created:
        a, b = (tf.raw_ops.Placeholder(dtype=tf.float32, shape=(2, 2), name=n) for n in "ab")
        tf.linalg.matmul(a, b, name="y")
    return _with(created.as_graph_def(), "MatMul", **attrs)


def _scatter(policy: str) -> tf.compat.v1.GraphDef:
    with tf.Graph().as_default() as created:
        indices = tf.raw_ops.Placeholder(dtype=tf.int32, shape=(2, 1), name="i")
        tf.raw_ops.ScatterNd(indices=indices, updates=[1.0, 2.0], shape=[4], name="y")
    return _with(created.as_graph_def(), "ScatterNd", **{_POLICY: policy})


def _transformed() -> tf.compat.v1.GraphDef:
    """A graph with an op that the installed TensorFlow does not have."""
    with tf.Graph().as_default() as created:
        x = tf.raw_ops.Placeholder(dtype=tf.complex64, shape=(2, 4, 4), name="x")
        tf.raw_ops.FFT3D(input=x, name="y")
    found = created.as_graph_def()
    for node in found.node:
        node.op = node.op.replace("FFT3D", "FFTND")
    return found


def _with(whole: Any, op: str, **attrs: bool | str) -> Any:
    """A graph whose nodes of an op, also in functions, have further attributes."""
    bodies = [function.node_def for function in whole.library.function]
    found = [node for nodes in (whole.node, *bodies) for node in nodes if node.op == op]
    assert found
    for node in found:
        for name, content in attrs.items():
            _attr(node, name, content)
    return whole


def _write(whole: tf.compat.v1.GraphDef, name: str = "m.pb") -> str:
    Path(name).write_bytes(whole.SerializeToString())
    return name


def _read(name: str) -> Any:
    return tf.compat.v1.GraphDef.FromString(Path(name).read_bytes())


def _is_new(whole: Any) -> bool:
    """Returns whether a graph has new attributes."""
    return graph.drop(whole.node, whole.library.function, _NEWER)


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Returns the exit status and the messages."""
    capsys.readouterr()
    return cli.main(arguments), capsys.readouterr().err


def test_the_advice_of_a_selection_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    _write(_product(grad_a=False, grad_b=True))
    select = ("select", "m.pb", "--index", "index.json", "-o", "s.json")
    status, messages = _run(capsys, *select)
    assert status == 0
    advice = re.search(r"tfcarve (freeze m\.pb -o OUT) removes them", messages)
    assert advice
    assert _run(capsys, *advice[1].split()) == (0, "")
    assert _run(capsys, "select", "OUT", *select[2:]) == (0, "")
    cleaned = _product()
    assert list(_read("OUT").node) == list(cleaned.node)


def test_a_frozen_graph_is_copied_without_new_attributes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write(_product(grad_a=False))
    assert cli.main(["freeze", "m.pb", "-o", "out.pb"]) == 0
    assert "copied without attributes that are too new" in capsys.readouterr().out
    assert _read("out.pb") == _product()
    Path("m.pbtxt").write_text(text_format.MessageToString(_product(grad_a=False)))
    assert _run(capsys, "freeze", "m.pbtxt", "-o", "text.pb")[0] == 0
    assert _read("text.pb") == _product()
    _write(_product())
    assert cli.main(["freeze", "m.pb", "-o", "out.pb"]) == 0
    assert "copied unchanged" in capsys.readouterr().out
    assert Path("out.pb").read_bytes() == Path("m.pb").read_bytes()


class _Trained(tf.Module):
    """A model with a variable, a branch and a training step."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = tf.Variable(np.eye(3, dtype=np.float32))

    @tf.function(input_signature=[tf.TensorSpec([2, 3], name="x")])
    def run(self, x: Any) -> dict[str, Any]:
        product = lambda: tf.matmul(x, self.weights)  # noqa: E731
        scattered = lambda: tf.scatter_nd([[0]], x[:1], [2, 3])  # noqa: E731
        return {"y": tf.cond(tf.reduce_sum(x) > 0, product, scattered)}

    @tf.function(input_signature=[tf.TensorSpec([2, 3], name="x")])
    def train(self, x: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(x, self.weights))
        self.weights.assign_sub(tape.gradient(loss, self.weights))
        return {"loss": loss}


def _saved(change: Callable[[Any], object]) -> None:
    """Writes a SavedModel with a changed graph."""
    module = _Trained()
    signatures = {"serving_default": module.run, "train": module.train}
    tf.saved_model.save(module, "saved", signatures=signatures)
    file = Path("saved/saved_model.pb")
    whole = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    change(whole.meta_graphs[0].graph_def)
    file.write_bytes(whole.SerializeToString())


def test_a_saved_model_is_frozen_without_new_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    def change(whole: Any) -> None:
        _with(whole, "VarHandleOp", debug_name="weights/")
        _with(whole, "MatMul", grad_a=False, grad_b=True)
        _with(whole, "ScatterNd", **{_POLICY: ""})

    _saved(change)
    assert _run(capsys, "freeze", "saved", "-o", "out.pb") == (0, "")
    frozen = _read("out.pb")
    assert {node.op for f in frozen.library.function for node in f.node_def} >= {"MatMul"}
    assert not _is_new(frozen)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with tf.Graph().as_default() as imported, tf.compat.v1.Session() as session:
        tf.import_graph_def(frozen, name="")
        tensor = imported.get_tensor_by_name
        for sign in (1, -1):
            (actual,) = session.run([tensor("y:0")], {tensor("x:0"): sign * x})
            expected = x if sign > 0 else np.array([-x[0], np.zeros(3)], np.float32)
            np.testing.assert_array_equal(actual, expected)


def test_a_saved_model_that_computes_something_else_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _saved(lambda whole: _with(whole, "ScatterNd", **{_POLICY: "IGNORE"}))
    status, message = _run(capsys, "freeze", "saved", "-o", "out.pb")
    assert status == 2
    assert re.match(
        r"tfcarve: saved: node '.*' in function .*: op 'ScatterNd' with bad_indices_policy 'IGNORE': TensorFlow 2\.14\.1 does not "
        "have this attribute: 2.18 is the first release that has it: use its default value, '', or replace",
        message,
    )
    assert not Path("out.pb").exists()
    # The control: nothing in the other signature has it.
    assert _POLICY not in _run(capsys, "freeze", "saved", "--signature", "train", "-o", "t.pb")[1]


def test_a_saved_model_with_a_newer_op_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    def change(whole: Any) -> None:
        for function in whole.library.function:
            for node in function.node_def:
                node.op = node.op.replace("ScatterNd", "FFTND")

    _saved(change)
    status, message = _run(capsys, "freeze", "saved", "-o", "out.pb")
    assert status == 2
    assert (
        "op 'FFTND' is newer than TensorFlow 2.14.1, which tfcarve builds: 2.15 is the first"
        in message
    )
    assert "it cannot be frozen: replace the layer or function that creates it" in message
    assert not Path("out.pb").exists()


def test_a_saved_model_for_later_consumers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    def change(whole: Any) -> None:
        whole.versions.min_consumer = 1600

    _saved(change)
    status, message = _run(capsys, "freeze", "saved", "-o", "out.pb")
    assert status == 2
    assert "consumers of version 1600 and later" in message
    assert (
        "2.15 is the first release that accepts it: export the model with TensorFlow 2.14"
        in message
    )
    # The control: TensorFlow refuses it too.
    refuses = pytest.raises(ValueError, match="min consumer version 1600")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, refuses:
        tf.compat.v1.saved_model.load(session, ["serve"], "saved")


@pytest.mark.parametrize("name", ["out.pb", "out.pbtxt"])
def test_transformed_graphs_have_no_new_attributes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = _product(grad_a=False, grad_b=True)
    function = whole.library.function.add()
    function.signature.name = "unused"
    function.node_def.append(_product(grad_a=True).node[-1])
    _write(whole)
    transforms = ("--transforms", "rename_op(old_op_name=Q, new_op_name=R)", "--outputs", "y")
    assert _run(capsys, "transform", "m.pb", "-o", name, *transforms) == (0, "")
    written = (
        _read(name)
        if name.endswith(".pb")
        else text_format.Parse(Path(name).read_text(), tf.compat.v1.GraphDef())
    )
    assert len(written.library.function) == 1
    assert not _is_new(written)
    assert _is_new(_read("m.pb"))  # the control


def test_transform_refuses_what_the_outputs_need(capsys: pytest.CaptureFixture[str]) -> None:
    _write(_scatter("IGNORE"))
    for outputs, steps, expected in (
        ("y", "strip_unused_nodes", 2),
        ("i", "strip_unused_nodes", 0),
        ("i", "rename_op(old_op_name=Q, new_op_name=R)", 2),  # it stays in the graph
    ):
        options = ("--outputs", outputs, "--transforms", steps)
        status, message = _run(capsys, "transform", "m.pb", "-o", "out.pb", *options)
        assert status == expected
        assert ("tfcarve: m.pb: node 'y': op 'ScatterNd' with" in message) is (expected == 2)
        assert Path("out.pb").exists() is (expected == 0)
        Path("out.pb").unlink(missing_ok=True)
    _write(_scatter("ERROR"))
    options = ("--outputs", "y", "--transforms", "strip_unused_nodes")
    assert _run(capsys, "transform", "m.pb", "-o", "out.pb", *options) == (0, "")


def test_transform_and_freeze_note_newer_ops(capsys: pytest.CaptureFixture[str]) -> None:
    """It may be a custom op, which only selection knows."""
    _write(_transformed())
    note = (
        "tfcarve: note: node 'y': op 'FFTND' is newer than TensorFlow 2.14.1, which tfcarve builds: 2.15 is the first release that "
        "has it: tfcarve select refuses the op unless a source that --custom-op names defines it\n"
    )
    options = ("--outputs", "y", "--transforms", "strip_unused_nodes")
    assert _run(capsys, "transform", "m.pb", "-o", "out.pb", *options) == (0, note)
    assert _run(capsys, "freeze", "m.pb", "-o", "copy.pb") == (0, note)
    assert Path("copy.pb").read_bytes() == Path("m.pb").read_bytes()


def test_transform_refuses_graphs_for_later_consumers(capsys: pytest.CaptureFixture[str]) -> None:
    whole = _product()
    whole.versions.bad_consumers.append(tf.version.GRAPH_DEF_VERSION)
    _write(whole)
    options = ("--outputs", "y", "--transforms", "strip_unused_nodes")
    for command in (("transform", "m.pb", *options), ("freeze", "m.pb")):
        status, message = _run(capsys, *command, "-o", "out.pb")
        assert status == 2
        assert (
            "tfcarve: m.pb: the graph excludes consumers of version 1575 (bad_consumers)" in message
        )
        assert not Path("out.pb").exists()


def test_damaged_versions(capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.pb").write_bytes(_product().SerializeToString() + b"\x22\x02\x1a\x7f")
    options = ("--outputs", "y", "--transforms", "strip_unused_nodes")
    for command in (("inspect",), ("transform", *options, "-o", "o"), ("freeze", "-o", "o")):
        status, message = _run(capsys, command[0], "m.pb", *command[1:])
        assert status == 2
        assert re.match(r"tfcarve: .*m\.pb: .*field 3 has 127 bytes, but only 0 remain", message)
        assert not Path("o").exists()


def test_inspect_notes_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    _write(_transformed())
    assert cli.main(["inspect", "m.pb", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["ops"]["FFTND"] == 1
    assert "note: node 'y': op 'FFTND' is newer than TensorFlow 2.14.1" in captured.err
    whole = _scatter("IGNORE")
    whole.versions.min_consumer = 9999
    _write(whole)
    status, messages = _run(capsys, "inspect", "m.pb")
    assert status == 0
    assert "note: node 'y': op 'ScatterNd' with bad_indices_policy 'IGNORE'" in messages
    assert "note: the graph is for consumers of version 9999 and later" in messages
    _write(_scatter("ERROR"))
    assert _run(capsys, "inspect", "m.pb") == (0, "")


def test_golden_refuses_what_tensorflow_ignores(capsys: pytest.CaptureFixture[str]) -> None:
    _write(_scatter("IGNORE"))
    Path("i.npy").write_bytes(b"")
    status, message = _run(capsys, "golden", "m.pb", "--input", "i=i.npy", "--output", "y=y.npy")
    assert status == 2
    assert "tfcarve: m.pb: node 'y': op 'ScatterNd' with bad_indices_policy 'IGNORE'" in message
    assert not Path("y.npy").exists()


def test_locate_says_which_release_has_an_op(capsys: pytest.CaptureFixture[str]) -> None:
    status, message = _run(capsys, "locate", "FFTND", "--index", "index.json")
    assert status == 1
    assert "op 'FFTND' is newer than TensorFlow 2.14.1: 2.15 is the first release" in message
