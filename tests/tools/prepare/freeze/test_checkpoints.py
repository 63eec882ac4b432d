"""Checkpoints by any of their files, variables that they lack, and Git LFS pointers in place of a model's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from freeze_running import frozen_here
from freeze_sources import MAKERS, Source, keras_model

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.evaluate.requests import LoadRequest, Request, Response
from tfcarve.prepare.freeze.checkpoint import Checkpoint, Location
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.freeze.source import request
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.original import program
from tfcarve.prepare.original.messages import RunRequest
from tfcarve.releases import known

v1 = tf.compat.v1


def _message(path: Path, folder: Path, **options: Any) -> str:
    with pytest.raises(InvalidInput) as raised:
        frozen_here(path, folder, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("checkpoint V2, references", ("model.ckpt.index", "model.ckpt.meta", "model.ckpt.data-00000-of-00001", "", "checkpoint")),
        ("checkpoint V1, references", ("model.ckpt.meta", "", "checkpoint")),
    ],
)  # fmt: skip
def test_each_file_of_a_checkpoint_names_it(
    name: str, files: tuple[str, ...], tmp_path: Path
) -> None:
    source = MAKERS[name](tmp_path / "m")
    expected = frozen_here(source.path, tmp_path, **source.options)
    folder = Path(source.options["checkpoint"]).parent
    for file in files:
        options = {**source.options, "checkpoint": str(folder / file)}
        assert frozen_here(source.path, tmp_path, **options) == expected


def test_all_missing_variables(tmp_path: Path) -> None:
    """Freezing names all of them, and so does running the model as TensorFlow loads it."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        for name in ("layer_1/kernel", "layer_2/kernel", "same", "layer_3/bias"):
            x += v1.get_variable(name, [2], use_resource=False)
        tf.identity(x, name="y")
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    with tf.Graph().as_default(), v1.Session() as session:
        for name in ("layer1/kernel", "layer2/kernel", "same"):
            v1.get_variable(name, [2])
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, str(tmp_path / "m.ckpt"))
    expected = f"""checkpoint {prefix}: does not have 3 variables of the graph:
  'layer_1/kernel'; did you mean layer1/kernel or layer2/kernel?
  'layer_2/kernel'; did you mean layer2/kernel or layer1/kernel?
  'layer_3/bias'"""
    options = {"outputs": ("y",), "checkpoint": prefix}
    assert _message(tmp_path / "m.pb", tmp_path, **options) == expected
    wanted = request(tmp_path / "m.pb", known.release(), Options(**options))
    run = RunRequest(model=wanted, samples=1, inputs=("x",), outputs=("y",))
    fed = [tf.make_tensor_proto([1.0, 2.0]).SerializeToString()]
    assert program.run(run, fed, tmp_path)[0] == expected


class _CountsLoads(Evaluator):
    loads = 0

    def request(self, head: Request, parts: Sequence[bytes] = ()) -> tuple[Response, list[bytes]]:
        self.loads += isinstance(head, LoadRequest)
        return super().request(head, parts)


def test_each_type_loads_one_graph_for_all_its_variables(tmp_path: Path) -> None:
    """Neither more variables nor a slice of one loads another graph."""
    values = {
        **{f"float_{n}": np.full([2, n], n, np.float32) for n in range(5)},
        **{f"int_{n}": np.array(n) for n in range(5)},
        "text": np.array([b"a", b"\0"], object),
    }
    prefix = str(tmp_path / "m.ckpt")
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=list(values),
        shape_and_slices=[""] * len(values),
        tensors=[tf.constant(value) for value in values.values()],
    )
    with _CountsLoads() as evaluator:
        checkpoint = Checkpoint(prefix, "c", False, evaluator)
        for name, value in values.items():
            found = tensors.to_array(checkpoint.value(Location(name), name), name)
            np.testing.assert_array_equal(found, value)
        part = checkpoint.value(Location("float_4", "2 4 1,1:0,2"), "float_4")
        np.testing.assert_array_equal(tensors.to_array(part, "part"), [[4, 4]])
        with pytest.raises(InvalidInput, match="^checkpoint c: cannot be read: .*slice"):
            checkpoint.value(Location("float_4", "2 5 1,1:0,2"), "float_4")
    assert evaluator.loads == 3


@pytest.fixture(name="freezable", scope="module")
def _freezable(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Source]:
    """Returns a function that creates each source once, and freezes it."""

    @cache
    def freezable(name: str) -> Source:
        folder = tmp_path_factory.mktemp("sources")
        source = MAKERS[name](folder / "m")
        frozen_here(source.path, folder, **source.options)
        return source

    return freezable


_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a1" * 32 + "\nsize 5000\n"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("v2 Keras", "saved_model.pb"),
        ("v2 Keras", "variables/variables.index"),
        ("v2 Keras", "variables/variables.data-00000-of-00001"),
        ("v2 table of a file", "assets/"),
        ("checkpoint V2, references", "graph.pb"),
        ("checkpoint V2, references", "model.ckpt.index"),
        ("checkpoint V2, references", "model.ckpt.data-00000-of-00001"),
        ("checkpoint V1, references", "model.ckpt"),
    ],
)
def test_a_git_lfs_pointer(
    name: str, file: str, freezable: Callable[[str], Source], tmp_path: Path
) -> None:
    source = freezable(name)
    folder = source.path if source.path.is_dir() else source.path.parent
    path = folder / file
    path = next(path.iterdir()) if path.is_dir() else path
    before = path.read_bytes()
    path.write_text(_POINTER)
    try:
        found = _message(source.path, tmp_path, **source.options)
    finally:
        path.write_bytes(before)
    assert found == f"{path}: is a Git LFS pointer in place of the file: get the file: git lfs pull"


def test_the_weights_of_a_keras_model(tmp_path: Path) -> None:
    model = keras_model()
    model.save_weights(tmp_path / "m.h5")
    found = _message(tmp_path / "m.h5", tmp_path)
    assert "it contains weights but no model: save it as a SavedModel" in found
    model.save(tmp_path / "m.h5")
    frozen_here(tmp_path / "m.h5", tmp_path)
