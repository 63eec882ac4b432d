"""An encrypted model that an app decrypts while it loads it. Pure: the cipher is a parameter.

The file, with little-endian numbers:

    8 bytes   MAGIC
    4 bytes   VERSION
    4 bytes   CHUNK: the bytes of the model in each chunk but the last, which has 1 to CHUNK
    8 bytes   size of the model in bytes
    24 bytes  header of the stream
    chunks    each encrypted, 17 bytes longer than its part of the model

Chunks are messages of libsodium's crypto_secretstream_xchacha20poly1305. The first 24 bytes of the file are the additional
data of each message, so that nobody can change them. The last chunk, and no other, has TAG_FINAL. The stream authenticates
the order of its messages, so that nobody can remove, repeat or move a message.
"""

import struct
from collections.abc import Callable, Iterator

from tfcarve.models.wire import Buffer

MAGIC = b"tfcarveE"
VERSION = 1
CHUNK = 1 << 16

KEY_SIZE = 32

# Encrypts a chunk: its bytes, the additional data, whether it is the last.
Encrypt = Callable[[bytes, bytes, bool], bytes]


def pieces(model: Buffer, header: bytes, encrypt: Encrypt) -> Iterator[bytes]:
    """Yields consecutive parts of the file for a model that is not empty.

    Args:
      model: the model.
      header: header of the stream.
      encrypt: encrypts the next message of the stream.
    """
    head = MAGIC + struct.pack("<IIQ", VERSION, CHUNK, len(model))
    yield head + header
    for start in range(0, len(model), CHUNK):
        yield encrypt(model[start : start + CHUNK], head, start + CHUNK >= len(model))
