"""Sessions of models that a function of the app reads: results, the calls of the function, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from built import published
from e2e.graphs import mapped_files
from e2e.graphs.mapped_files import Files
from e2e.sessions import reader_session
from e2e.sessions.numpy_session import output, run
from e2e.sessions.reader_session import CannotRead
from e2e.sessions.session_memory import anonymous
from tfcarve.client.c_interface import Reader
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_MAX_PART = 1 << 20


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    return mapped_files.of_all_cases(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(published.of("shared").named("//shared:library")["libtensorflow-core.so"])


class _Source:
    """A model in parts; records the calls."""

    def __init__(self, data: bytes, fails_at: int = -1) -> None:
        self.data = data
        self.calls: list[tuple[int, int]] = []
        self._fails_at = fails_at

    def read(self, offset: int, size: int) -> bytes:
        self.calls.append((offset, size))
        if len(self.calls) - 1 == self._fails_at:
            raise CannotRead("the key is wrong")
        return self.data[offset : offset + size]


@pytest.mark.parametrize("form", ["aligned", "misaligned"])
@pytest.mark.parametrize("name", ["dense", "folded", "functions", "in_place", "loop", "types"])
def test_output_is_full_tensorflows(
    name: str, form: str, files: dict[str, Files], library: Library
) -> None:
    case = files[name].case
    source = _Source(getattr(files[name], form).read_bytes())
    with reader_session.opened(library, len(source.data), source.read) as session:
        calls = len(source.calls)
        for _ in range(2):
            for found, expected in zip(
                run(session, case.feeds, case.fetches), case.expected, strict=True
            ):
                np.testing.assert_allclose(found, expected, 1e-5, 1e-5)
        assert session.mapped_bytes == (case.mapped if form == "aligned" else 0)
        assert len(source.calls) == calls, "a run reads nothing"


@pytest.mark.parametrize("size", [1, _MAX_PART - 1, _MAX_PART, _MAX_PART + 1, 3 * _MAX_PART + 7])
def test_model_is_read_once_in_order_in_bounded_parts(size: int, library: Library) -> None:
    source = _Source(b"\x0a" * size)
    with pytest.raises(CallError, match="^the model: the graph is not a serialized GraphDef"):
        reader_session.opened(library, size, source.read)
    whole, rest = divmod(size, _MAX_PART)
    sizes = [_MAX_PART] * whole + [rest] * (rest > 0)
    assert source.calls == [(number * _MAX_PART, one) for number, one in enumerate(sizes)]


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_error_of_the_function_ends_the_reading(fails_at: int, library: Library) -> None:
    source = _Source(b"\x0a" * (3 * _MAX_PART), fails_at)
    with pytest.raises(CallError) as failed:
        reader_session.opened(library, len(source.data), source.read)
    assert str(failed.value) == "the model: can't be read: the key is wrong"
    assert failed.value.status == 2
    assert len(source.calls) == fails_at + 1


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "it is empty"),
        (1 << 31, "it is larger than 2 GB"),
        ((1 << 62) + 1, "it is larger than 2 GB"),
        ((1 << 64) - 1, "Cannot allocate memory"),
    ],
)
def test_invalid_size(size: int, message: str, library: Library) -> None:
    source = _Source(b"")
    with pytest.raises(CallError) as failed:
        reader_session.opened(library, size, source.read)
    assert str(failed.value) == f"the model: can't be read: {message}"
    assert failed.value.status == 2
    assert source.calls == []


def test_no_function(library: Library) -> None:
    for reader in (None, Reader(None, 100)):
        with pytest.raises(CallError, match="^the model: can't be read: no function reads it$"):
            reader_session.of(library, reader)


def test_invalid_number_of_threads(files: dict[str, Files], library: Library) -> None:
    source = _Source(files["dense"].aligned.read_bytes())
    with pytest.raises(CallError, match="^the model: threads is -1: pass 1 to 1024"):
        reader_session.opened(library, len(source.data), source.read, -1)


def test_memory_is_kept_as_long_as_a_constant_is_used(
    files: dict[str, Files], library: Library
) -> None:
    size = 32 << 20
    unknown_field = b"\x7a\x80\x80\x80\x10" + bytes(size)
    source = _Source(files["dense"].aligned.read_bytes() + unknown_field)
    before = anonymous()
    with reader_session.opened(library, len(source.data), source.read) as session:
        result = session.bind({}, ["weights"]).run()
    assert anonymous() - before > size // 1024 * 3 // 4
    assert output(result, 0).shape == (64, 256)
    result.free()
    assert anonymous() - before < size // 1024 // 4
