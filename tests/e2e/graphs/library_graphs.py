"""Graphs whose kernels need libjpeg, libpng, giflib, HighwayHash or ICU, and inputs for them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from models import frozen

_SIZE = (24, 37)


def _picture(channels: int) -> Any:
    """Returns a picture of smooth colours with some noise, [24, 37, channels] of uint8."""
    drawn = np.random.default_rng(frozen.SEED)
    rows, columns = np.mgrid[: _SIZE[0], : _SIZE[1]]
    phases = np.arange(channels)
    waves = 127 + 100 * np.sin(rows[..., None] / 5 + columns[..., None] / 9 + phases)
    return np.clip(waves + drawn.normal(0, 8, waves.shape), 0, 255).astype(np.uint8)


def _bytes(encoded: Any) -> bytes:
    return bytes(encoded.numpy())


def gif(frames: int, side: int = 4) -> bytes:
    """Returns a GIF of 4 x 4 pixels in 4 colours, whose headers say that it is `side` x `side`.

    Source: the GIF89a specification. Each pixel is a code of 3 bits, and a clear code after every second pixel keeps the
    width of the codes at 3 bits.
    """
    palette = bytes((0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255))
    parts = [b"GIF89a", struct.pack("<HHBBB", side, side, 0b10000001, 0, 0), palette]
    for frame in range(frames):
        codes = [4]
        for pixel in range(16):
            codes.append((pixel + frame) % 4)
            if pixel % 2:
                codes.append(4)
        bits = sum(code << (3 * place) for place, code in enumerate([*codes, 5]))
        data = bits.to_bytes((3 * len(codes) + 3 + 7) // 8, "little")
        descriptor = struct.pack("<HHHHB", 0, 0, side, side, 0)
        parts += [b",", descriptor, bytes((2, len(data))), data, b"\0"]
    return b"".join((*parts, b";"))


def _bmp(width: int = 4, height: int = 2) -> bytes:
    """Returns a BMP of 4 x 2 pixels of 24 bits, whose header says that it is `width` x `height`."""
    pixels = bytes(range(24))
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54) + header + pixels


def images() -> Mapping[str, bytes]:
    """Returns encoded images by name."""
    rgb = _picture(3)
    deep = np.kron(_picture(4).astype(np.uint16), np.full((1, 1, 1), 257, np.uint16))
    return {
        "jpeg": _bytes(tf.io.encode_jpeg(rgb, quality=90)),
        "progressive.jpeg": _bytes(tf.io.encode_jpeg(rgb, progressive=True)),
        "grey.jpeg": _bytes(tf.io.encode_jpeg(_picture(1))),
        "png": _bytes(tf.io.encode_png(_picture(4))),
        "grey.png": _bytes(tf.io.encode_png(_picture(1), compression=0)),
        "deep.png": _bytes(tf.io.encode_png(deep)),
        "gif": gif(3),
        "bmp": _bmp(),
    }


def _png(width: int, height: int) -> bytes:
    """Returns a PNG without pixels, whose header says that it is `width` x `height` of 4 channels."""
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ):
        checksum = zlib.crc32(kind + data)
        parts += [struct.pack(">I", len(data)), kind, data, struct.pack(">I", checksum)]
    return b"".join(parts)


def _resized_jpeg(jpeg: bytes, width: int, height: int) -> bytes:
    """Returns a JPEG with another size in its frame header, which is the first one."""
    baseline, progressive = jpeg.find(b"\xff\xc0"), jpeg.find(b"\xff\xc2")
    # The marker, the header's length and the precision come before the size.
    start = 5 + (baseline if baseline >= 0 else progressive)
    return jpeg[:start] + struct.pack(">HH", height, width) + jpeg[start + 4 :]


def too_large(encoded: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Returns small files whose headers declare the largest images that they can, made of those of `images`, by name."""
    whole, half = 2**31 - 1, 2**16 - 1
    return {
        "square.png": _png(whole, whole),
        "wide.png": _png(whole, 1),
        "jpeg": _resized_jpeg(encoded["jpeg"], half, half),
        "progressive.jpeg": _resized_jpeg(encoded["progressive.jpeg"], half, half),
        "gif": gif(1, half),
        "frames.gif": gif(40, half),
        **{
            f"{width}x{height}.bmp": _bmp(width, height)
            for width in (whole, half)
            for height in (whole, half, -half, -whole - 1)
        },
    }


def large(encoded: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Returns such files with sizes that TensorFlow's limits permit.

    No progressive JPEG: libjpeg's memory for its coefficients is not that of a tensor.
    """
    return {
        "png": _png(8192, 8192),
        "jpeg": _resized_jpeg(encoded["jpeg"], 13_000, 13_000),
        "gif": gif(1, 12_000),
        "bmp": _bmp(13_000, 13_000),
    }


def damaged(data: bytes, drawn: np.random.Generator) -> bytes:
    """Returns an image that is cut, or with some other bytes, or both."""
    changed = bytearray(data)
    for place in drawn.integers(0, len(data), drawn.integers(1, 6)):
        changed[place] = drawn.integers(256)
    return bytes(
        changed[: drawn.integers(len(data) // 4, len(data))] if drawn.random() < 0.4 else changed
    )


def _graph(compute: Callable[[Any], Any], dtype: Any = tf.string) -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(dtype, name=frozen.INPUT)
        tf.identity(compute(fed), name=frozen.OUTPUT)
    return graph.as_graph_def()


# Decoders of strings: their graphs, and the images that they decode.
DECODERS: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "decode_jpeg": (_graph(tf.io.decode_jpeg), ("jpeg", "progressive.jpeg", "grey.jpeg")),
    "decode_jpeg_small": (
        _graph(lambda x: tf.io.decode_jpeg(x, channels=1, ratio=2, dct_method="INTEGER_FAST")),
        ("jpeg", "progressive.jpeg"),
    ),
    "decode_cropped": (
        _graph(lambda x: tf.io.decode_and_crop_jpeg(x, [3, 5, 12, 20], channels=3)),
        ("jpeg",),
    ),
    "decode_png": (_graph(tf.io.decode_png), ("png", "grey.png")),
    "decode_deep_png": (
        _graph(lambda x: tf.io.decode_png(x, dtype=tf.uint16)),
        ("deep.png", "png"),
    ),
    "decode_gif": (_graph(tf.io.decode_gif), ("gif",)),
    "decode_bmp": (_graph(tf.io.decode_bmp), ("bmp",)),
    "decode_image": (
        _graph(lambda x: tf.io.decode_image(x, channels=3)),
        ("jpeg", "png", "gif", "bmp"),
    ),
    "shape": (_graph(tf.io.extract_jpeg_shape), ("jpeg", "grey.jpeg")),
}
# Graphs that read a picture of three channels and return a string.
ENCODERS: Mapping[str, Any] = {
    "encode_jpeg": _graph(lambda x: tf.io.encode_jpeg(x, quality=80), tf.uint8),
    "encode_png": _graph(lambda x: tf.io.encode_png(x, compression=6), tf.uint8),
}
PICTURE = _picture(3)
# Graphs that read strings.
STRINGS: Mapping[str, Any] = {
    "hash": _graph(lambda x: tf.strings.to_hash_bucket_strong(x, 1 << 40, [17, 42])),
    "lower": _graph(tf.strings.lower),
    "upper": _graph(tf.strings.upper),
}
ENCODINGS = (
    *("UTF-8", "UTF-16BE", "UTF-16-LE", "utf_32be", "UTF-32LE"),
    *("US-ASCII", "ISO-8859-1"),
)


def _transcode(encoding: str, output: str, errors: str) -> Any:
    return _graph(
        lambda x: tf.strings.unicode_transcode(
            x,
            encoding,
            output,
            errors=errors,
            replacement_char=0xD800 if output == "UTF-8" else 0x1F642,
            replace_control_characters=output == "UTF-16-BE",
        )
    )


def _decode(encoding: str, errors: str) -> Any:
    """Returns a graph whose output has the code points, where they start, and where each string's begin."""
    return _graph(
        lambda x: tf.concat(
            [
                tf.cast(part, tf.int64)
                for part in tf.raw_ops.UnicodeDecodeWithOffsets(
                    input=x, input_encoding=encoding, errors=errors, Tsplits=tf.int64
                )
            ],
            0,
        )
    )


def _encode(output: str, errors: str) -> Any:
    """Returns a graph that makes three strings of code points: of one, three and the rest."""
    return _graph(
        lambda x: tf.raw_ops.UnicodeEncode(
            input_values=x,
            input_splits=[0, 1, 4, tf.size(x)],
            output_encoding=output,
            errors=errors,
        ),
        tf.int32,
    )


# Graphs that read strings in an encoding, by this and a number.
DECODED: Mapping[tuple[str, int], Any] = {
    (encoding, number): graph
    for encoding in ENCODINGS
    for number, graph in enumerate(
        (
            *(_decode(encoding, errors) for errors in ("replace", "ignore", "strict")),
            _transcode(encoding, "UTF-8", "replace"),
            _transcode(encoding, "UTF-16-BE", "ignore"),
            _transcode(encoding, "UTF-32-BE", "strict"),
        )
    )
}
# Graphs that read code points.
ENCODED: Mapping[tuple[str, str], Any] = {
    (output, errors): _encode(output, errors)
    for output in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
    for errors in ("replace", "ignore", "strict")
}
TEXTS = (b"", b"Carve", "Größe \u00c4".encode(), b"zero\0BYTE", b"Long " * 500)
# tfcarve's kernel refuses it, because it requires ICU.
UNICODE = _graph(lambda x: tf.strings.lower(x, encoding="utf-8"))
GRAPHS: Mapping[str, Any] = {
    **{name: graph for name, (graph, _) in DECODERS.items()},
    **ENCODERS,
    **STRINGS,
    **{f"decoded{i}": graph for i, graph in enumerate(DECODED.values())},
    **{f"encoded{i}": graph for i, graph in enumerate(ENCODED.values())},
}

# Surrogates, code points for internal use, and numbers that are not code points.
POINTS = (0x41, 0xD800, 0xDC00, 0x1F642, 0xFFFE, 0xFDD0, 0x10FFFF, 0x110000, -1, 0xFFFD, 0)
# Bytes at the limits of UTF-8's and UTF-16's parts.
_LIMITS = bytes.fromhex(
    "00 1f 41 7f 80 8f 90 9f a0 bf c1 c2 d7 d8 db dc df e0 e1 ed ee ef f0 f4 f5 ff fe fd"
)
_TEXTS = 400


def texts(encoding: str) -> list[bytes]:
    """Returns texts: valid ones, ones that are cut, and bytes at limits."""
    drawn = np.random.default_rng(frozen.SEED)
    name = {"UTF-16-LE": "utf-16le"}.get(encoding, encoding.lower().replace("_", "-"))
    valid = "Carve \u00fc\u20ac \U0001f642\x07".encode(name, "ignore")
    found = [b"", valid, *(valid[:end] for end in range(1, len(valid)))]
    while len(found) < _TEXTS:
        size = drawn.integers(1, 13)
        limits = bytes(drawn.choice(np.frombuffer(_LIMITS, np.uint8), size))
        found.append(limits if drawn.random() < 0.7 else valid[: len(valid) // 2 // 4 * 4] + limits)
    return found
