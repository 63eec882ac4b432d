"""Selections next to those of TensorFlow's own tool, for models of many kinds.

Ours hold all that its tool finds. What ours hold besides are the ops that the
runtime adds by itself, of which the tool knows three.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trees

from tfcarve.models.read import read
from tfcarve.registry import index, scan
from tfcarve.registry.index import IndexFile
from tfcarve.selection import runtime_rules
from tfcarve.selection.resolve import resolve

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
tf: Any = pytest.importorskip("tensorflow")


@pytest.fixture(scope="module")
def made() -> IndexFile:
    """Gives the index of the real tree, for the configuration that is built."""
    from tfcarve.commands.common import default_defines

    settings = scan.Settings(default_defines(), scan.find_compiler(os.environ))
    return index.parse(scan.make_index(trees.tensorflow(), settings), "index")


def _frozen(call: Callable[..., Any], *specs: Any, lower: bool = True) -> Any:
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    function = tf.function(call).get_concrete_function(*specs)
    return convert_variables_to_constants_v2(
        function, lower_control_flow=lower
    ).graph.as_graph_def()


def _v1(build: Callable[[], Any]) -> Any:
    with tf.Graph().as_default() as graph:
        build()
        return graph.as_graph_def()


def _floats(*shape: int | None) -> Any:
    return tf.TensorSpec(shape, tf.float32)


def _loop(x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, x))


def _lstm(lower: bool) -> Any:
    layer = tf.keras.layers.LSTM(3)
    layer(tf.zeros([1, 4, 2]))
    return _frozen(lambda x: layer(x), _floats(1, 4, 2), lower=lower)


def _attention() -> Any:
    layer = tf.keras.layers.MultiHeadAttention(2, 4)
    return _frozen(lambda x: layer(x, x), _floats(1, 5, 8))


def _boxes(boxes: Any, scores: Any) -> Any:
    return tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, 3))


def _segmentation(x: Any) -> Any:
    up = tf.nn.conv2d_transpose(x, tf.ones([3, 3, 4, 3]), [1, 16, 16, 4], 2)
    return tf.argmax(tf.image.resize(up, [32, 32]), -1)


def _words(x: Any) -> Any:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    return table.lookup(tf.strings.split(tf.strings.lower(x)).to_tensor(""))


def _two_types() -> None:
    for dtype in (tf.float32, tf.float64):
        x = tf.compat.v1.placeholder(dtype, [2, 2])
        tf.matmul(x, x)


def _queue() -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32], [[2]])
    queue.enqueue([[1.0, 2.0]])
    value = tf.compat.v1.get_variable("v", initializer=queue.dequeue())
    tf.compat.v1.train.Saver([value])


def _accumulate() -> None:
    tf.raw_ops.AccumulateNV2(inputs=[tf.ones([2]), tf.ones([2])], shape=[2])


def _v1_cond() -> None:
    with tf.compat.v1.variable_scope("v1"):
        tf.compat.v1.disable_control_flow_v2()
        x = tf.compat.v1.placeholder(tf.float32, [])
        tf.compat.v1.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
        tf.compat.v1.enable_control_flow_v2()


_MODELS: dict[str, Callable[[], Any]] = {
    "dense": lambda: _frozen(lambda x: tf.nn.softmax(tf.matmul(x, tf.ones([4, 2]))), _floats(1, 4)),
    "half and double": lambda: _frozen(
        lambda x: (tf.cast(tf.cast(x, tf.half) * 2, tf.double), tf.cast(x, tf.bfloat16)), _floats(3)
    ),
    "loop": lambda: _frozen(_loop, _floats(2), lower=False),
    "lowered loop": lambda: _frozen(_loop, _floats(2)),
    "cond": lambda: _frozen(lambda x: tf.cond(x[0] > 0, lambda: x, lambda: -x), _floats(2), lower=False),
    "case": lambda: _frozen(
        lambda i, x: tf.switch_case(i, [lambda: x, lambda: -x]), tf.TensorSpec([], tf.int32), _floats(2), lower=False
    ),
    "lstm": lambda: _lstm(False),
    "lowered lstm": lambda: _lstm(True),
    "attention": _attention,
    "non-max suppression": lambda: _frozen(_boxes, _floats(9, 4), _floats(9)),
    "segmentation": lambda: _frozen(_segmentation, _floats(1, 8, 8, 3)),
    "spectrogram": lambda: _frozen(lambda x: tf.abs(tf.signal.stft(x, 64, 32)), _floats(256)),
    "mfcc": lambda: _frozen(
        lambda x: tf.raw_ops.Mfcc(
            spectrogram=tf.raw_ops.AudioSpectrogram(input=x, window_size=64, stride=32), sample_rate=16000
        ),
        _floats(256, 1),
    ),
    "words": lambda: tf.function(_words).get_concrete_function(tf.TensorSpec([None], tf.string)).graph.as_graph_def(),
    "sparse": lambda: _frozen(
        lambda x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.ones([4, 2])), _floats(3, 4)
    ),
    "ragged": lambda: _frozen(
        lambda x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [1, 2]), axis=1), _floats(3)
    ),
    "embedding": lambda: _frozen(lambda i: tf.nn.embedding_lookup(tf.ones([9, 2]), i), tf.TensorSpec([3], tf.int64)),
    "quantized": lambda: _frozen(
        lambda x: tf.quantization.fake_quant_with_min_max_args(tf.quantization.quantize(x, -1, 1, tf.quint8)[1] + x),
        _floats(3),
    ),
    "linear algebra": lambda: _frozen(lambda x: tf.linalg.inv(tf.linalg.cholesky(x)), _floats(3, 3)),
    "image": lambda: _frozen(
        lambda b: tf.image.resize(tf.cast(tf.io.decode_jpeg(b), tf.float32), [8, 8]), tf.TensorSpec([], tf.string)
    ),
    "random": lambda: _frozen(lambda x: x + tf.random.stateless_normal([3], [1, 2]), _floats(3)),
    "two types": lambda: _v1(_two_types),
    "queue and saver": lambda: _v1(_queue),
    "accumulate": lambda: _v1(_accumulate),
    "v1 cond": lambda: _v1(_v1_cond),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> Iterator[None]:
    from absl import logging

    logging.set_verbosity(logging.ERROR)
    yield


@pytest.mark.parametrize("name", _MODELS)
def test_ours_hold_theirs(name: str, made: IndexFile, tmp_path: Path) -> None:
    from tensorflow.python.tools import selective_registration_header_lib as tool

    path = tmp_path / "model.pb"
    path.write_bytes(_MODELS[name]().SerializeToString())
    theirs = set(
        tool.get_ops_and_kernels("rawproto", [str(path)], "NoOp:NoOp,_Recv:RecvOp,_Send:SendOp")
    )
    selection = resolve([read(path)], made, runtime_rules.load()).selection
    ours = {(k.op, k.clazz) for k in selection.kernels} | {(o.name, None) for o in selection.ops}
    assert theirs <= ours
    by_hand = {o.op for o in selection.added_by_runtime}
    more = {op for op, _ in ours} - {op for op, _ in theirs}
    assert more <= by_hand, "more than their tool finds, and no rule says why"
