"""`tfcarve protect`: a frozen graph that only an app with the key can load."""

import argparse
import importlib.util
import os
import secrets
import sys
from pathlib import Path

from tfcarve import files
from tfcarve.commands import options
from tfcarve.commands.graph_file import frozen_graph
from tfcarve.emit import protected_model
from tfcarve.errors import InvalidInput

NAME = "protect"
HELP = "encrypts a frozen graph, for apps that decrypt it while they load it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model", type=Path, nargs="?", metavar="MODEL", help="a frozen GraphDef, .pb"
    )
    parser.add_argument(
        "--key-file", type=Path, metavar="FILE", help="the key: a file of 32 random bytes"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=options.output_file,
        metavar="FILE",
        help=f"where to write the encrypted model; {options.OR_DASH}",
    )
    parser.add_argument(
        "--new-key",
        type=options.not_standard_output("only the key's owner must be able to read it"),
        metavar="FILE",
        help="writes a new key that only its owner can read, and nothing else; FILE must not exist",
    )


def _write_key(path: Path) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(secrets.token_bytes(protected_model.KEY_SIZE))
    except FileExistsError:
        raise InvalidInput(
            f"{path}: exists: pass another file, because models that a key has encrypted are lost without it"
        ) from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {error.strerror}") from None


def _key(path: Path) -> bytes:
    key = files.read_bytes(path)
    if len(key) != protected_model.KEY_SIZE:
        raise InvalidInput(
            f"{path}: has {len(key)} bytes: a key has {protected_model.KEY_SIZE}: create one with "
            "tfcarve protect --new-key"
        )
    return key


def _stream(key: bytes) -> tuple[bytes, protected_model.Encrypt]:
    """Returns the header of a new stream, and the function that encrypts its messages."""
    if importlib.util.find_spec("nacl") is None:
        raise InvalidInput(
            f"pynacl is not installed in {sys.executable}: pip install 'tfcarve[protect]'"
        )
    from nacl import bindings

    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    header = bindings.crypto_secretstream_xchacha20poly1305_init_push(state, key)

    def encrypt(message: bytes, additional: bytes, is_last: bool) -> bytes:
        final = bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        middle = bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
        return bindings.crypto_secretstream_xchacha20poly1305_push(
            state, message, additional, final if is_last else middle
        )

    return header, encrypt


def run(arguments: argparse.Namespace) -> int:
    """Writes the encrypted model, or a new key."""
    inputs = (arguments.model, arguments.key_file, arguments.output)
    if arguments.new_key is not None:
        if any(inputs):
            raise InvalidInput("--new-key: omit MODEL, --key-file and -o")
        _write_key(arguments.new_key)
        return 0
    if not all(inputs):
        raise InvalidInput("pass MODEL, --key-file and -o, or --new-key")
    if arguments.output.resolve() == arguments.key_file.resolve():
        raise InvalidInput(f"{arguments.output}: is the key file: pass another file to -o")
    key = _key(arguments.key_file)
    model = frozen_graph(arguments.model)
    files.write_pieces(arguments.output, protected_model.pieces(model, *_stream(key)))
    return 0
