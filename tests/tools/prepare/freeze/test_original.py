"""Models that run as TensorFlow loads them have the outputs of the session that created them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from freeze_sources import MAKERS, Source
from tensorflow.core.framework import tensor_pb2

from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.freeze import source
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.original import program
from tfcarve.prepare.original.messages import RunRequest
from tfcarve.prepare.original.run import Original
from tfcarve.releases import known


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns a function that creates each source once."""
    folder = tmp_path_factory.mktemp("sources")
    return cache(lambda name: MAKERS[name](folder / str(list(MAKERS).index(name))))


def _values(model: Source, folder: Path, samples: int = 1) -> list[Any]:
    request = RunRequest(
        model=source.request(model.path, known.release(), Options(**model.options)),
        samples=samples,
        inputs=tuple(model.feeds),
        outputs=tuple(model.expected),
    )
    fed = [tf.make_tensor_proto(array).SerializeToString() for array in model.feeds.values()]
    error, results = program.run(request, fed * samples, folder)
    assert error == ""
    return [tf.make_ndarray(tensor_pb2.TensorProto.FromString(data)) for data in results]


def _equal(found: Any, expected: Any) -> bool:
    if found.shape != np.shape(expected):
        return False
    if found.dtype == object:
        return bool(np.all(found == expected))
    return float(np.max(np.abs(found - expected), initial=0)) < 1e-6


@pytest.mark.parametrize("name", MAKERS)
def test_outputs_are_equal(name: str, created: Any, tmp_path: Path) -> None:
    model: Source = created(name)
    found = _values(model, tmp_path, 2)
    expected = list(model.expected.values())
    assert len(found) == 2 * len(expected)
    for array, wanted in zip(found, expected * 2, strict=True):
        assert _equal(array, wanted)


def test_a_changed_input_is_detected(created: Any, tmp_path: Path) -> None:
    """The control of the comparison."""
    model: Source = created("v2 Keras")
    (name,) = model.feeds
    changed = Source(model.path, {name: model.feeds[name] + 0.1}, model.expected, model.options)
    (found,) = _values(changed, tmp_path)
    assert not _equal(found, *model.expected.values())


def test_a_child_process_that_fails_on_a_sample(created: Any) -> None:
    """The values of the samples before it are yielded."""
    model: Source = created("v2 Keras")
    (name,), (output,) = model.feeds, model.expected
    array = model.feeds[name]
    samples = [{Ref(name): tensors.from_array(each)} for each in (array, array[:, :1])]
    results = Original(model.path, known.release(), Options(**model.options)).run(
        [Ref(output)], samples
    )
    (tensor,) = next(results)
    assert _equal(tensors.to_array(tensor, "found"), model.expected[output])
    with pytest.raises(Failed, match="(?i)shape|incompatible|size"):
        next(results)
