"""Invalid input to freezing: the message states the problem and the fix, and nothing is written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of
from freeze_sources import MAKERS, Source, checkpointed, frozen_graph
from google.protobuf import text_format
from tensorflow.core.framework import function_pb2, tensor_pb2
from tensorflow.core.protobuf import saved_model_pb2

from tfcarve.errors import InvalidInput

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Source]:
    """Returns a function that creates each source once."""
    folder = tmp_path_factory.mktemp("sources")
    return cache(lambda name: MAKERS[name](folder / str(list(MAKERS).index(name))))


def _message(path: Path, folder: Path, **options: Any) -> str:
    with pytest.raises(InvalidInput) as raised:
        frozen_here(path, folder, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("v2 Keras", {"signature": "classify"}, "no signature 'classify': the model has serving_default: "),
        ("v2 Keras", {"tags": ("serve", "gpu")}, "exactly the tags gpu,serve: the model has serve: pass"),
        ("v2 Keras", {"outputs": ("Stateful",)}, "--outputs: the graph does not have a node 'Stateful'"),
        ("v2 Keras", {"checkpoint": "x"}, "already contains its variables: remove --checkpoint"),
        ("v2 Keras", {"moving_averages": True}, "--moving-averages requires --checkpoint"),
        ("v2 assertion", {"signature": "serving_default"}, "changes the variable 'calls' when the model runs, and the output 'y' reads it ("),
        ("v2 mutable table", {"signature": "learn"}, "changes the table 'MutableHashTable' when the model runs, and the output 'found' reads it ("),
        ("checkpoint V2, references", {"outputs": ("score",)}, "a node 'score'; did you mean scores?"),
        ("checkpoint V2, references", {"outputs": ("scores:1",)}, "(Softmax) has 1 outputs, not output 1"),
        ("checkpoint V2, references", {"outputs": ("scores:x",)}, "'scores:x' is not a tensor"),
        ("checkpoint V2, references", {"inputs": ("y",)}, "--inputs: the graph does not have a node 'y'"),
        (
            "checkpoint V2, resources",
            {"inputs": ("dense/Softmax_input",)},
            "--inputs: the graph does not have a node 'dense/Softmax_input'",
        ),
        ("checkpoint V2, references", {"outputs": ()}, "--checkpoint requires --outputs"),
        ("checkpoint V2, references", {"checkpoint": ""}, "needs the variable 'dense/w', but there is no"),
        ("checkpoint V2, references", {"checkpoint": "/nowhere/x"}, "checkpoint /nowhere/x: neither this file nor"),
        (".meta, resources", {"outputs": ()}, "no signature 'serving_default': the model has none: pass --outp"),
        ("checkpoint V2, references", {"inputs": ("dense/b",)}, "the outputs need 'x', which nothing feeds"),
    ],
)  # fmt: skip
def test_options(
    name: str,
    options: dict[str, Any],
    message: str,
    created: Callable[[str], Source],
    tmp_path: Path,
) -> None:
    source = created(name)
    assert message in _message(source.path, tmp_path, **{**source.options, **options})
    # The control: with the required options it is frozen.
    if "learn" not in options.get("signature", "") and source.options:
        frozen_here(source.path, tmp_path, **source.options)


@pytest.fixture
def copied(created: Callable[[str], Source], tmp_path: Path) -> Callable[[str], Source]:
    """Returns a function that copies a source, so that its files may be modified."""

    def copy(name: str) -> Source:
        source = created(name)
        folder = source.path if source.path.is_dir() else source.path.parent
        to = tmp_path / "copy"
        shutil.copytree(folder, to)
        path = to if source.path.is_dir() else to / source.path.name
        options = dict(source.options)
        if options.get("checkpoint"):
            options["checkpoint"] = str(to / "model.ckpt")
        return Source(path, source.feeds, source.expected, options)

    return copy


def _truncate(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("checkpoint V2, references", "model.ckpt.data-00000-of-00001"),
        ("checkpoint V2, resources", "model.ckpt.index"),
        ("checkpoint V1, references", "model.ckpt"),
    ],
)
def test_a_truncated_checkpoint(
    name: str, file: str, copied: Callable[[str], Source], tmp_path: Path
) -> None:
    source = copied(name)
    cut = source.path.parent / file
    frozen_here(source.path, tmp_path, **source.options)
    _truncate(cut, cut.stat().st_size // 2)
    found = _message(source.path, tmp_path, **source.options)
    assert "model.ckpt: cannot be read: " in found and "it may be truncated" in found
    cut.unlink()
    assert "model.ckpt" in _message(source.path, tmp_path, **source.options)


def test_a_checkpoint_of_another_model(tmp_path: Path) -> None:
    source = checkpointed(tmp_path / "m", True)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("dense/w", [4, 2])
        v1.get_variable("dense/b2", [2])
        session.run(v1.global_variables_initializer())
        few = v1.train.Saver().save(session, str(tmp_path / "few"))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("dense/w", [4, 3])
        v1.get_variable("dense/b", [2])
        session.run(v1.global_variables_initializer())
        other = v1.train.Saver().save(session, str(tmp_path / "other"))
    found = _message(source.path, tmp_path, outputs=("scores",), checkpoint=few)
    assert (
        f"checkpoint {few}: does not have the variable 'dense/b'; did you mean dense/b2 or dense/w?"
        in found
    )
    found = _message(source.path, tmp_path, outputs=("scores",), checkpoint=other)
    assert (
        "'dense/w' is DT_FLOAT [4, 2], but its value is DT_FLOAT [4, 3]: the checkpoint belongs to another"
        in found
    )
    found = _message(
        source.path, tmp_path, outputs=("scores",), checkpoint=few, moving_averages=True
    )
    assert "has no moving averages" in found


def test_a_damaged_saved_model(copied: Callable[[str], Source], tmp_path: Path) -> None:
    source = copied("v2 Keras")
    frozen_here(source.path, tmp_path)
    shutil.rmtree(source.path / "variables")
    assert "there is no checkpoint: the SavedModel lacks vari" in _message(source.path, tmp_path)
    _truncate(source.path / "saved_model.pb", 3000)
    assert "not a valid SavedModel: " in _message(source.path, tmp_path)
    (source.path / "saved_model.pb").unlink()
    assert "is a directory without saved_model.pb" in _message(source.path, tmp_path)


def _changed(folder: Path, change: Callable[[Any], None]) -> None:
    file = folder / "saved_model.pb"
    whole = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    change(whole.meta_graphs[0])
    file.write_bytes(whole.SerializeToString())


@pytest.mark.parametrize(
    ("name", "detail"), [("../secret", "outside the folder"), ("none.txt", "is missing")]
)
def test_an_asset_outside_the_model(
    name: str, detail: str, copied: Callable[[str], Source], tmp_path: Path
) -> None:
    source = copied("v2 table of a file")
    (source.path / "secret").write_text("tea 1\n")
    frozen_here(source.path, tmp_path)

    def change(meta_graph: Any) -> None:
        meta_graph.asset_file_def[0].filename = name

    _changed(source.path, change)
    assert f"the asset {name!r}" in (found := _message(source.path, tmp_path)) and detail in found


def test_two_initializers_of_a_table(copied: Callable[[str], Source], tmp_path: Path) -> None:
    source = copied("v1 table")

    def change(meta_graph: Any) -> None:
        nodes = meta_graph.graph_def.node
        again = nodes.add()
        again.CopyFrom(next(n for n in nodes if n.op == "LookupTableImportV2"))
        again.name = "again"
        next(n for n in nodes if n.name == "init_all_tables").input.append("^again")

    _changed(source.path, change)
    assert "table 'hash_table' (HashTableV2): its content is unknown before the model runs: 2" in (
        _message(source.path, tmp_path)
    )


_CALL = """
name: "{name}" op: "PartitionedCall" input: "{input}"
attr {{ key: "Tin" value {{ list {{ type: DT_FLOAT }} }} }}
attr {{ key: "Tout" value {{ list {{ type: DT_FLOAT }} }} }}
attr {{ key: "f" value {{ func {{ name: "{function}" }} }} }}
"""


def _doubling(levels: int) -> bytes:
    """A graph in which each function calls the next one twice; the last one calls the function `end`."""
    with tf.Graph().as_default() as graph:
        v1.placeholder(tf.float32, [1], name="x")
    definition = graph.as_graph_def()
    text_format.Parse(_CALL.format(name="y", input="x", function="f0"), definition.node.add())
    for level in range(levels):
        function = function_pb2.FunctionDef()
        function.signature.name = f"f{level}"
        function.signature.input_arg.add(name="a", type=1)
        function.signature.output_arg.add(name="r", type=1)
        after = f"f{level + 1}"
        for name, input_name in (("p", "a"), ("q", "p:output:0")):
            call = _CALL.format(name=name, input=input_name, function=after)
            text_format.Parse(call, function.node_def.add())
        function.ret["r"] = "q:output:0"
        definition.library.function.add().CopyFrom(function)
    return bytes(definition.SerializeToString())


def test_recursive_functions(tmp_path: Path) -> None:
    file = tmp_path / "m.pb"
    file.write_bytes(_doubling(3))
    assert "calls the function 'f3', which the graph does not have" in _message(
        file, tmp_path, outputs=("y",)
    )
    file.write_bytes(_doubling(3).replace(b"f3", b"f0"))
    assert "function 'f0': calls itself" in _message(file, tmp_path, outputs=("y",))
    file.write_bytes(_doubling(300))
    assert "calls are nested too deeply" in _message(file, tmp_path, outputs=("y",))


def test_functions_that_grow_exponentially(tmp_path: Path) -> None:
    file = tmp_path / "m.pb"
    file.write_bytes(_doubling(60))
    definition = graph_of(file.read_bytes())
    last = definition.library.function[-1]
    del last.node_def[:]
    last.ret["r"] = "a"
    file.write_bytes(definition.SerializeToString())
    assert "nodes after functions are inlined" in _message(file, tmp_path, outputs=("y",))


def test_invalid_models(tmp_path: Path) -> None:
    for name, content, message in [
        (
            "m.tflite",
            b"x",
            ".tflite files contain no graph to freeze: expected a SavedModel's directory",
        ),
        ("m.pb", b"no graph, text alone", "is text, not a binary graphdef"),
        ("m.pb", b"", "is empty"),
        ("m.pbtxt", b"node { name: ", "m.pbtxt: "),
        ("m.meta", b"\xff\xff\xff", "not a valid MetaGraphDef: "),
        ("m.pb", b"\x08\x01\x12\x00", "is a SavedModel, but is not named saved_model.pb"),
    ]:
        (tmp_path / name).write_bytes(content)
        assert message in _message(tmp_path / name, tmp_path)
    assert "no such file" in _message(tmp_path / "none.pb", tmp_path)


def test_a_graph_that_tensorflow_rejects(tmp_path: Path) -> None:
    source = frozen_graph(tmp_path / "m.pb")
    frozen_here(source.path, tmp_path, outputs=("y",))
    definition = graph_of(source.path.read_bytes())
    next(n for n in definition.node if n.name == "y").attr["T"].type = tf.string.as_datatype_enum
    source.path.write_bytes(definition.SerializeToString())
    found = _message(source.path, tmp_path, outputs=("y",))
    assert "TensorFlow rejects the frozen graph" in found


def _large(graph: Any) -> None:
    next(n for n in graph.node if n.op == "Const").attr["value"].tensor.CopyFrom(
        text_format.Parse(
            "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } float_val: 1",
            tensor_pb2.TensorProto(),
        )
    )


def _cyclic(graph: Any) -> None:
    next(n for n in graph.node if n.op == "Mul").input[0] = "y"


def _incomplete(graph: Any) -> None:
    next(n for n in graph.node if n.op == "Mul").input[0] = "nope"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_large, "its constant expands from 1 to 1099511627776 values"),
        (_cyclic, "cycle"),
        (_incomplete, "nope"),
    ],
)
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("outputs", [(), ("y",)])
def test_a_damaged_frozen_graph(
    change: Callable[[Any], None],
    message: str,
    text: bool,
    outputs: tuple[str, ...],
    tmp_path: Path,
) -> None:
    source = frozen_graph(tmp_path / "m.pb")
    definition = graph_of(source.path.read_bytes())
    change(definition)
    path = tmp_path / ("m.pbtxt" if text else "m.pb")
    content = text_format.MessageToString(definition).encode()
    path.write_bytes(content if text else definition.SerializeToString())
    found = _message(path, tmp_path, outputs=outputs)
    assert message in found and (outputs or found.startswith(f"{path}: "))
