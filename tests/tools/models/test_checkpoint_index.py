"""The names and types of a checkpoint's tensors, as TensorFlow's own reader has them."""

from __future__ import annotations

from pathlib import Path

import pytest
import sorted_tables
import tensorflow as tf

from tfcarve.models import checkpoint_index
from tfcarve.models.wire import WireError

_v1 = tf.compat.v1
_TYPES = (tf.float32, tf.float64, tf.int32, tf.bool, tf.bfloat16)
_FOOTER, _TRAILER = 48, 5
_SMALL = {"scope/a": 1, "scope/ab": 9, "w": 7}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("count", [1, 100])
def test_as_tensorflow_reads_it(version: int, count: int, tmp_path: Path) -> None:
    with _v1.Graph().as_default(), _v1.Session() as session:
        types = _TYPES if version == 2 else _TYPES[:4]  # V1 has no bfloat16
        for i in range(count):
            zeros = tf.zeros([2], types[i % len(types)])
            _v1.get_variable(f"a/long/scope_{i % 7}/layer_{i}", initializer=zeros)
        split = _v1.fixed_size_partitioner(3)
        _v1.get_variable("parts", [10, 4], partitioner=split)
        session.run(_v1.global_variables_initializer())
        prefix = _v1.train.Saver(write_version=version).save(session, str(tmp_path / "m"))
    found = checkpoint_index.read(Path(prefix))
    known = _v1.train.NewCheckpointReader(prefix).get_variable_to_dtype_map()
    assert found == {name: dtype.as_datatype_enum for name, dtype in known.items()}
    assert len(found) == count + 1


@pytest.mark.parametrize("is_v2", [True, False])
def test_each_truncation_is_an_error(is_v2: bool) -> None:
    data = (sorted_tables.index_v2 if is_v2 else sorted_tables.file_v1)(_SMALL)
    assert checkpoint_index.types(data, is_v2) == _SMALL
    for size in range(len(data)):
        with pytest.raises(WireError):
            checkpoint_index.types(data[:size], is_v2)


def test_a_compressed_block_is_an_error() -> None:
    data = bytearray(sorted_tables.index_v2(_SMALL))
    data[-_FOOTER - _TRAILER] = 1
    with pytest.raises(WireError, match="compressed"):
        checkpoint_index.types(bytes(data), True)


def test_shared_keys_do_not_exhaust_memory() -> None:
    """Each key repeats the long one before it."""
    long = b"k" * 20_000
    rows = [(long + str(i).encode(), b"") for i in range(1000)]
    with pytest.raises(WireError, match="too many small parts"):
        checkpoint_index.types(sorted_tables.table(rows), True)
