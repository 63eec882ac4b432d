"""Kernels that need third-party libraries, in a carved library: their outputs are full TensorFlow's, for damaged images too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest
import tensorflow as tf

import extent
from built import published
from e2e.graphs import library_graphs
from e2e.sessions import numpy_session
from models import frozen
from tfcarve.benchmark import process_status
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import Session

# Of each image.
_DAMAGED = extent.of(10, 60)
# Of a session that decodes huge images, and what a decoder may use besides.
_MEMORY_LIMIT, _OTHER_MEMORY = 64 << 20, 32 << 20


@pytest.fixture(name="library", scope="module")
def _library() -> Library:
    return Library(published.of("shared").named("//shared:library")["libtensorflow-core.so"])


def _run(session: Session, fed: Any) -> Any:
    (output,) = numpy_session.run(session, {frozen.INPUT: fed}, [frozen.OUTPUT])
    return output


def _decoded(session: Session, data: bytes) -> Any:
    """Returns an image, or None if the library refuses the data."""
    try:
        return _run(session, np.array(data, object))
    except CallError as error:
        assert str(error)
        return None


class _Full:
    """A graph in full TensorFlow."""

    def __init__(self, graph: Any) -> None:
        with tf.Graph().as_default() as imported:
            tf.import_graph_def(graph, name="")
        self._session = tf.compat.v1.Session(graph=imported)

    def run(self, fed: Any) -> Any:
        """Returns the output, or None if TensorFlow refuses the input."""
        try:
            return self._session.run(f"{frozen.OUTPUT}:0", {f"{frozen.INPUT}:0": fed})
        except tf.errors.InvalidArgumentError:
            return None


@pytest.fixture(name="images", scope="module")
def _images() -> Mapping[str, bytes]:
    return library_graphs.images()


def _session(library: Library, graph: Any, **options: Any) -> Session:
    return library.session_from_bytes(graph.SerializeToString(deterministic=True), 1, **options)


@pytest.mark.parametrize("name", library_graphs.DECODERS)
def test_images_are_decoded(name: str, library: Library, images: Mapping[str, bytes]) -> None:
    graph, files = library_graphs.DECODERS[name]
    full = _Full(graph)
    with _session(library, graph) as session:
        for file in files:
            found, expected = _decoded(session, images[file]), full.run(images[file])
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            # The control: another image has another output.
            assert np.unique(found).size > 1 and found.size > 1


@pytest.mark.parametrize("name", library_graphs.DECODERS)
def test_damaged_images(name: str, library: Library, images: Mapping[str, bytes]) -> None:
    """Each run has a status, and the library refuses what TensorFlow refuses."""
    graph, files = library_graphs.DECODERS[name]
    full = _Full(graph)
    drawn = np.random.default_rng(frozen.SEED)
    refused = 0
    with _session(library, graph) as session:
        for file in (file for file in files for _ in range(_DAMAGED)):
            data = library_graphs.damaged(images[file], drawn)
            found = _decoded(session, data)
            refused += found is None
            # If a GIF ends early, TensorFlow's pixels are what was in memory.
            expected = _decoded(session, data) if file == "gif" else full.run(data)
            assert (found is None) == (expected is None)
            if found is None:
                continue
            # TensorFlow computes impossible coefficients of JPEG images with other instructions.
            if file.endswith("jpeg"):
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            else:
                np.testing.assert_array_equal(found, expected)
    assert refused > extent.of(0, 5)


def _measured(work: Callable[[], Any]) -> tuple[Any, int]:
    """Returns the result of the work, and by how many bytes this process's resident memory rose at most during it."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak
    before = process_status.status_bytes("VmRSS")
    result = work()
    peak = process_status.status_bytes("VmHWM")
    assert before is not None and peak is not None
    return result, peak - before


def _of_kinds(files: Iterable[str], named: Mapping[str, bytes]) -> dict[str, bytes]:
    """The images whose names end as those of some files."""
    kinds = {file.rpartition(".")[2] for file in files}
    return {name: data for name, data in named.items() if name.rpartition(".")[2] in kinds}


@pytest.mark.parametrize("name", library_graphs.DECODERS)
def test_headers_that_declare_huge_images(
    name: str, library: Library, images: Mapping[str, bytes]
) -> None:
    """Each has a status, and takes little memory besides that which the session may use."""
    graph, files = library_graphs.DECODERS[name]
    refused = _of_kinds(files, library_graphs.too_large(images))
    decoded = _of_kinds(files, library_graphs.large(images))
    assert refused and decoded
    with _session(library, graph, memory_limit=_MEMORY_LIMIT) as session:
        for file, data in (*refused.items(), *decoded.items()):
            found, memory = _measured(partial(_decoded, session, data))
            # An output is copied from the session to Python, and there to an array.
            copies = 0 if found is None else 2 * found.nbytes
            assert memory < _MEMORY_LIMIT + _OTHER_MEMORY + copies, file
            assert file in decoded or found is None, file
        # The control: the session still decodes images.
        assert _decoded(session, images[files[0]]) is not None


def test_memory_is_measured() -> None:
    assert _measured(lambda: None)[1] < 1 << 20
    # Memory that the process gives back meanwhile is subtracted.
    assert _measured(lambda: np.ones(64 << 20, np.uint8).sum())[1] > 48 << 20


@pytest.mark.parametrize("name", library_graphs.ENCODERS)
def test_images_are_encoded(name: str, library: Library) -> None:
    graph, picture = library_graphs.ENCODERS[name], library_graphs.PICTURE
    with _session(library, graph) as session:
        found = _run(session, picture).item()
    expected = _Full(graph).run(picture)
    # zlib's compressed bytes depend on its version.
    pictures = [tf.io.decode_image(data).numpy() for data in (found, expected)]
    np.testing.assert_array_equal(*pictures)
    assert found[:4] == expected[:4]


@pytest.mark.parametrize("name", library_graphs.STRINGS)
def test_strings(name: str, library: Library) -> None:
    graph, texts = library_graphs.STRINGS[name], library_graphs.TEXTS
    with _session(library, graph) as session:
        found = _run(session, np.array(texts, object))
    expected = _Full(graph).run(np.array(texts, object))
    assert list(found) == list(expected)
    assert list(found) != list(texts)


@pytest.mark.parametrize(("encoding", "number"), library_graphs.DECODED)
def test_texts_are_decoded(encoding: str, number: int, library: Library) -> None:
    graph = library_graphs.DECODED[encoding, number]
    full = _Full(graph)
    refused = 0
    with _session(library, graph) as session:
        for text in library_graphs.texts(encoding):
            fed = np.array([text], object)
            expected = full.run(fed)
            try:
                found = _run(session, fed)
            except CallError:
                found = None
            assert (found is None) == (expected is None), text
            if expected is None:
                refused += 1
            else:
                assert list(found) == list(expected), text
    is_strict = number in (2, 5)
    assert (refused > 20) == (is_strict and encoding != "ISO-8859-1")


@pytest.mark.parametrize(("output", "errors"), library_graphs.ENCODED)
def test_code_points_are_encoded(output: str, errors: str, library: Library) -> None:
    graph = library_graphs.ENCODED[output, errors]
    full = _Full(graph)
    with _session(library, graph) as session:
        for start in range(len(library_graphs.POINTS)):
            points = np.roll(np.array(library_graphs.POINTS, np.int32), start)[: 5 + start]
            expected = full.run(points)
            if expected is None:
                assert errors == "strict"
                with pytest.raises(CallError, match="out of range for Unicode"):
                    _run(session, points)
            else:
                assert list(_run(session, points)) == list(expected)


def test_unicode_is_refused(library: Library) -> None:
    """tests/tools/selection checks that builds refuse it, too."""
    with (
        pytest.raises(CallError, match="the encoding 'utf-8' requires ICU"),
        _session(library, library_graphs.UNICODE) as session,
    ):
        _run(session, np.array(library_graphs.TEXTS, object))
