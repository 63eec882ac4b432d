"""Texts of tensors, in outputs and in messages, are full TensorFlow's."""

from __future__ import annotations

import os

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

from typing import Any

import pytest
import tensorflow as tf

from built import published
from e2e.graphs import text_graphs
from e2e.sessions import numpy_session
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import Session


@pytest.fixture(name="session", scope="module")
def _session() -> Session:
    library = Library(published.of("shared").named("//shared:library")["libtensorflow-core.so"])
    return library.session_from_bytes(text_graphs.graph().SerializeToString(deterministic=True), 1)


@pytest.fixture(name="full", scope="module")
def _full() -> Any:
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(text_graphs.graph(), name="")
    return tf.compat.v1.Session(graph=imported)


@pytest.mark.parametrize("limit", text_graphs.LIMITS)
def test_outputs(limit: int, session: Session, full: Any) -> None:
    name = text_graphs.written(limit)
    (text,) = numpy_session.run(session, {}, [name])
    assert text.item().splitlines() == full.run(f"{name}:0").splitlines()


@pytest.mark.parametrize("limit", text_graphs.LIMITS)
def test_messages(limit: int, session: Session, full: Any) -> None:
    name = text_graphs.failed(limit)
    with pytest.raises(tf.errors.InvalidArgumentError) as expected:
        full.run(f"{name}:0")
    message = expected.value.message
    text = message[message.index("assertion failed: ") : message.index("\n\t [[")]
    with pytest.raises(CallError) as caught:
        numpy_session.run(session, {}, [name])
    assert text in str(caught.value)
    # The control: the message has all tensors.
    assert text.count("] [") > len(text_graphs.SHAPES)
