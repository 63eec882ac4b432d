"""The versions of GraphDefs: read as protobuf reads them, and refused as TensorFlow refuses them."""

from __future__ import annotations

import re

import protos
import pytest
import tensorflow as tf
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow.core.framework import versions_pb2

from tfcarve.models import graph_text
from tfcarve.models.versions import Versions, of_graph, version_def
from tfcarve.models.wire import WireError
from tfcarve.newer import data, graph_version
from tfcarve.releases import known

_NEWER = data.load(known.release()).data
_OWN = tf.version.GRAPH_DEF_VERSION
_NUMBER = st.one_of(st.integers(-(2**31), 2**31 - 1), st.integers(_OWN - 2, _OWN + 2))


def _of(message: bytes) -> Versions:
    return of_graph(message, 0, len(message))


@given(_NUMBER, _NUMBER, st.lists(_NUMBER, max_size=5))
@settings(max_examples=100)
def test_versions_are_read(producer: int, first: int, bad: list[int]) -> None:
    message = versions_pb2.VersionDef(producer=producer, min_consumer=first, bad_consumers=bad)
    whole = tf.compat.v1.GraphDef(versions=message)
    whole.node.add(name="n", op="NoOp")
    expected = Versions(producer, first, frozenset(bad))
    assert _of(whole.SerializeToString()) == expected
    text = text_format.MessageToString(whole).encode()
    assert _of(graph_text.to_binary(text)[1]) == expected


def test_versions_that_are_not_packed() -> None:
    message = protos.data(4, protos.number(3, 7) + protos.number(3, 8) + protos.number(1, 5))
    assert _of(message) == Versions(5, 0, frozenset((7, 8)))


def test_a_graph_without_versions() -> None:
    assert _of(b"") == Versions()


def test_hostile_versions() -> None:
    many = b"".join(protos.varint(i) for i in range(70_000))
    message = protos.data(3, many)
    with pytest.raises(WireError, match="more than 65536 versions"):
        version_def(message, 0, len(message))
    with pytest.raises(WireError, match="truncated"):
        version_def(message, 0, len(message) - 1)


def _is_accepted(whole: tf.compat.v1.GraphDef) -> bool:
    with tf.Graph().as_default():
        try:
            tf.import_graph_def(whole, name="")
        except ValueError as error:
            assert "version" in str(error)
            return False
    return True


@pytest.mark.parametrize(
    ("producer", "first", "bad", "fault"),
    [
        (2474, 0, (), ""),
        (2474, 12, (), ""),
        (_OWN, _OWN, (), ""),
        (
            _OWN + 1,
            _OWN + 1,
            (),
            f"consumers of version {_OWN + 1} and later .*: 2.15 is the first",
        ),
        (2474, 1700, (), "2.16 is the first release that accepts it"),
        (9999, 9999, (), rf"has version {_OWN}$"),
        (2474, 0, (_OWN - 1, _OWN + 1), ""),
        (2474, 0, (3, _OWN), rf"excludes consumers of version {_OWN} \(bad_consumers\)"),
    ],
)
def test_graphs_are_refused_as_tensorflow_does(
    producer: int, first: int, bad: tuple[int, ...], fault: str
) -> None:
    message = versions_pb2.VersionDef(producer=producer, min_consumer=first, bad_consumers=bad)
    whole = tf.compat.v1.GraphDef(versions=message)
    whole.node.add(name="n", op="NoOp")
    found = graph_version.fault(_of(whole.SerializeToString()), _NEWER)
    assert _is_accepted(whole) is (found == "") is (fault == "")
    assert re.search(fault, found)
