"""Tests of encrypted models: their format, what a reader of it can detect, and the command."""

import importlib.util
import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path

import protos
import pytest
from nacl import bindings
from nacl.exceptions import CryptoError

from tfcarve import cli
from tfcarve.emit.protected_model import CHUNK

_KEY = bytes(range(32))
_HEAD, _HEADER, _TAG = 24, 24, 17
_FIRST = _HEAD + _HEADER


def _graph(size: int) -> bytes:
    """Returns a GraphDef of `size` bytes, at least 70,000."""
    for less in range(100):
        attrs = {"_x": protos.string_value("x" * (size - less))}
        graph = protos.graph(protos.node("n", "NoOp", attrs))
        if len(graph) == size:
            return graph
    raise AssertionError(size)


def _decrypted(data: bytes, key: bytes = _KEY) -> bytes:
    """Decrypts a file as an app does; raises CryptoError if it does not have the format."""
    head, header, rest = data[:_HEAD], data[_HEAD:_FIRST], data[_FIRST:]
    if len(head + header) != _FIRST:
        raise CryptoError("cut")
    magic, version, chunk, size = struct.unpack("<8sIIQ", head)
    if (magic, version, chunk) != (b"tfcarveE", 1, 65536):
        raise CryptoError("head")
    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    bindings.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    model = b""
    while len(model) < size:
        encrypted = rest[: min(chunk, size - len(model)) + _TAG]
        if len(encrypted) < _TAG:
            raise CryptoError("cut")
        rest = rest[len(encrypted) :]
        message, tag = bindings.crypto_secretstream_xchacha20poly1305_pull(state, encrypted, head)
        model += message
        final = bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        if (tag == final) != (len(model) == size):
            raise CryptoError("tag")
    if rest:
        raise CryptoError("more")
    return model


def _protect(*words: str | Path) -> int:
    return cli.main(["protect", *map(str, words)])


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(_KEY)
    return path


def _protected(model: bytes, key: Path) -> bytes:
    path = key.parent / "m.pb"
    path.write_bytes(model)
    assert _protect(path, "--key-file", key, "-o", key.parent / "m.enc") == 0
    return (key.parent / "m.enc").read_bytes()


@pytest.mark.parametrize("size", [70_000, 2 * CHUNK, 2 * CHUNK + 1, 3 * CHUNK - 1])
def test_round_trip(size: int, key: Path) -> None:
    model = _graph(size)
    data = _protected(model, key)
    assert _decrypted(data) == model
    assert len(data) == _FIRST + size + _TAG * -(-size // CHUNK)
    assert b"NoOp" not in data
    assert b"x" * 8 not in data
    assert _protected(model, key) != data, "each file has its own header"


def _chunks(data: bytes) -> list[bytes]:
    return [data[at : at + CHUNK + _TAG] for at in range(_FIRST, len(data), CHUNK + _TAG)]


def _swapped(data: bytes) -> bytes:
    first, second, *others = _chunks(data)
    return data[:_FIRST] + second + first + b"".join(others)


def _repeated(data: bytes) -> bytes:
    first, _, *others = _chunks(data)
    return data[:_FIRST] + first + first + b"".join(others)


def _of_fewer_chunks(data: bytes) -> bytes:
    """Removes the last chunk, and states the size of what is left."""
    chunks = _chunks(data)[:-1]
    return data[:16] + struct.pack("<Q", CHUNK * len(chunks)) + data[24:_FIRST] + b"".join(chunks)


@pytest.mark.parametrize(
    "change",
    [
        _swapped,
        _repeated,
        _of_fewer_chunks,
        lambda data: data[: _FIRST + CHUNK + _TAG],
        lambda data: data[: _FIRST + CHUNK],
        lambda data: data[:-1],
        lambda data: data[:40],
        lambda data: data + b"\0",
        lambda data: data + _chunks(data)[-1],
    ],
)
def test_reader_detects_changed_files(change: Callable[[bytes], bytes], key: Path) -> None:
    data = _protected(_graph(3 * CHUNK + 100), key)
    assert _decrypted(data)
    with pytest.raises(CryptoError):
        _decrypted(change(data))


def test_reader_detects_each_changed_region_and_a_wrong_key(key: Path) -> None:
    data = _protected(_graph(2 * CHUNK + 100), key)
    chunk = CHUNK + _TAG
    for place in (0, 8, 12, 16, _HEAD, _FIRST, _FIRST + chunk - 1, _FIRST + chunk, len(data) - 1):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(CryptoError):
            _decrypted(bytes(changed))
    with pytest.raises(CryptoError):
        _decrypted(data, _KEY[:-1] + b"\0")


def test_new_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    previous = os.umask(0)
    try:
        assert _protect("--new-key", one) == 0
        assert _protect("--new-key", two) == 0
    finally:
        os.umask(previous)
    assert len(one.read_bytes()) == 32
    assert one.read_bytes() != two.read_bytes()
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    before = one.read_bytes()
    assert _protect("--new-key", one) == 2
    assert f"{one}: exists: pass another file" in capsys.readouterr().err
    assert one.read_bytes() == before
    assert _protect("--new-key", tmp_path / "no" / "key") == 2
    assert "cannot be written" in capsys.readouterr().err
    assert _decrypted(_protected(_graph(70_000), one), before) == _graph(70_000)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "pass MODEL, --key-file and -o, or --new-key"),
        (["m.pb"], "pass MODEL, --key-file and -o, or --new-key"),
        (["m.pb", "--key-file", "key"], "pass MODEL, --key-file and -o, or --new-key"),
        (["m.pb", "-o", "out"], "pass MODEL, --key-file and -o, or --new-key"),
        (["--key-file", "key", "-o", "out"], "pass MODEL, --key-file and -o, or --new-key"),
        (["m.pb", "--new-key", "k"], "--new-key: omit MODEL, --key-file and -o"),
        (["--new-key", "k", "--key-file", "key"], "--new-key: omit MODEL, --key-file and -o"),
        (["--new-key", "k", "-o", "out"], "--new-key: omit MODEL, --key-file and -o"),
        (["m.pb", "--key-file", "key", "-o", "./key"], "key: is the key file: pass another file to -o"),
        (["m.pb", "--key-file", "no", "-o", "out"], "no: no such file"),
        (["m.pb", "--key-file", "hex", "-o", "out"], "hex: has 65 bytes: a key has 32: create one with tfcarve protect --new-key"),
        (["no.pb", "--key-file", "key", "-o", "out"], "no.pb: no such file"),
        (["hex", "--key-file", "key", "-o", "out"], "hex: "),
        (["saved.pb", "--key-file", "key", "-o", "out"], "saved.pb: is a SavedModel: pass a frozen GraphDef"),
    ],
)  # fmt: skip
def test_invalid_use(
    words: list[str],
    message: str,
    key: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(key.parent)
    Path("m.pb").write_bytes(_graph(70_000))
    Path("saved.pb").write_bytes(protos.saved_model(protos.meta_graph(protos.graph(), "serve")))
    Path("hex").write_text(_KEY.hex() + "\n")
    before = {path: path.read_bytes() for path in key.parent.iterdir()}
    assert _protect(*words) == 2
    assert capsys.readouterr().err.startswith(f"tfcarve: {message}")
    assert {path: path.read_bytes() for path in key.parent.iterdir()} == before


def test_without_pynacl(
    key: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = key.parent / "m.pb"
    model.write_bytes(_graph(70_000))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert _protect(model, "--key-file", key, "-o", key.parent / "out") == 2
    assert "pynacl is not installed in" in capsys.readouterr().err
    assert not (key.parent / "out").exists()
