"""The app that decrypts its model while it loads it: bzlmod/protected."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from built import published
from e2e.graphs import protected_model
from e2e.sessions.numpy_session import run
from models import frozen
from tfcarve.cli import main as tfcarve
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_INPUT = np.array([[0, 0.25, 0.5, 0.75]], np.float32)
_CHUNK = 65536 + 17
_FIRST = 48


@dataclass(frozen=True)
class Example:
    """The app, its library, its model as plain and as encrypted file, and the key."""

    app: Path
    library: Path
    model: Path
    encrypted: Path
    key: Path

    def run(self, encrypted: Path, key: Path) -> subprocess.CompletedProcess[str]:
        """Runs the app."""
        command = [self.app, encrypted, key]
        return subprocess.run(command, check=False, text=True, capture_output=True)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    folder = tmp_path_factory.mktemp("protected")
    encrypted, key = folder / "m.enc", folder / "key"
    found = published.of("protected")
    model = found.models / protected_model.NAME
    assert tfcarve(["protect", "--new-key", str(key)]) == 0
    assert tfcarve(["protect", str(model), "--key-file", str(key), "-o", str(encrypted)]) == 0
    (app,) = found.files("//protected:app")
    library = found.named("//protected:library")["libtensorflow-core.so"]
    return Example(app, library, model, encrypted, key)


def test_output_is_that_of_the_plain_model(example: Example) -> None:
    done = example.run(example.encrypted, example.key)
    assert (done.returncode, done.stderr) == (0, "")
    with Library(example.library).session_from_file(example.model) as session:
        (expected,) = run(session, {frozen.INPUT: _INPUT}, [frozen.OUTPUT])
    assert [float(line) for line in done.stdout.split()] == pytest.approx(
        expected.ravel().tolist(), rel=1e-6
    )


def _flipped(place: int) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        at = place % len(data)
        return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]

    return change


def _cut(size: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:size]


def _swapped(data: bytes) -> bytes:
    start, first, second, rest = (
        data[:_FIRST],
        data[_FIRST : _FIRST + _CHUNK],
        data[_FIRST + _CHUNK : _FIRST + 2 * _CHUNK],
        data[_FIRST + 2 * _CHUNK :],
    )
    return start + second + first + rest


def _of_one_chunk(data: bytes) -> bytes:
    """Cuts at the end of a chunk, and states the size of what is left."""
    return data[:16] + (65536).to_bytes(8, "little") + data[24 : _FIRST + _CHUNK]


_FORMAT = "the file is not an encrypted model of version 1"
_CHANGED = "the model: can't be read: the key is wrong, or the file has been changed"
_SHORT = "the model: can't be read: the file is cut short"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_flipped(0), _FORMAT),  # the magic number
        (_flipped(8), _FORMAT),  # the version
        (_flipped(12), _FORMAT),  # the size of chunks
        (_flipped(16), _CHANGED),  # the size of the model
        (_flipped(23), "the model is larger than 2 GB"),
        (_flipped(24), _CHANGED),  # the stream's header
        (_flipped(_FIRST), _CHANGED),  # the first chunk
        (_flipped(_FIRST + _CHUNK - 1), _CHANGED),  # its authentication tag
        (_flipped(_FIRST + _CHUNK), _CHANGED),  # the second chunk
        (_flipped(-1), _CHANGED),
        (_cut(0), _FORMAT),
        (_cut(40), _FORMAT),
        (_cut(_FIRST), _SHORT),
        (_cut(_FIRST + _CHUNK), _SHORT),
        (_cut(_FIRST + _CHUNK + 9), _SHORT),
        (_cut(-1), _SHORT),
        (_of_one_chunk, _CHANGED),
        (_swapped, _CHANGED),
        (
            lambda data: data + b"\0",
            "the model: can't be read: the file has too few or too many bytes",
        ),
    ],
)
def test_changed_file_is_refused(
    change: Callable[[bytes], bytes], message: str, example: Example, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.enc"
    changed.write_bytes(change(example.encrypted.read_bytes()))
    done = example.run(changed, example.key)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"app: {message}\n"


def test_wrong_key_and_plain_model_are_refused(example: Example, tmp_path: Path) -> None:
    other = tmp_path / "key"
    assert tfcarve(["protect", "--new-key", str(other)]) == 0
    for model, key, message in (
        (example.encrypted, other, _CHANGED),
        (example.model, example.key, _FORMAT),
        (tmp_path / "missing", example.key, "the file can't be opened"),
        (example.encrypted, tmp_path / "missing", "the key can't be read"),
    ):
        done = example.run(model, key)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"app: {message}\n")


def test_library_without_a_model_in_the_memmapped_format_refuses_one(
    example: Example, tmp_path: Path
) -> None:
    package = tmp_path / "package.pb"
    command = ["memmap", "--format", "tensorflow", str(example.model), "-o", str(package)]
    assert tfcarve(command) == 0
    with pytest.raises(CallError, match="not a serialized GraphDef: .* near byte 0"):
        Library(example.library).session_from_file(package)
