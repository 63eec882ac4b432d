"""Recognizes files that are no models of TensorFlow by their first and last bytes, and says how to get a model from them.

Sources of the formats: Git LFS's docs/spec.md; APPNOTE.TXT of PKWARE (zip); RFC 1952 (gzip); POSIX ustar; onnx.proto;
torch/serialization.py and Python's pickletools (PyTorch); TensorFlow.js's tfjs-core/src/io/types.ts; the specification of
safetensors; the HDF5 file format specification; tensorflow/core/lib/io/format.h and tensor_bundle/naming.cc (checkpoints).
"""

import re
import shlex
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models import checkpoint_files, keras

# The numbers of bytes that are read at a file's start, and at its end, where checkpoints have a magic number.
HEAD, TAIL = 4096, checkpoint_files.TAIL
_POINTER = b"version https://git-lfs.github.com/spec/"
# No Git LFS pointer is larger.
_MAX_POINTER = 1024
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_COMPRESSED = {b"\x1f\x8b\x08": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_HDF5 = b"\x89HDF\r\n\x1a\n"
_TFLITE = b"TFL3"
_USTAR, _USTAR_PLACE = b"ustar", 257
# The pickled magic number in PyTorch's files before version 1.6.
_TORCH = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
# Protocols 4 and 5, which begin with a frame.
_PICKLE = re.compile(rb"\x80[\x04\x05]\x95")
# The first entry of a zip archive that PyTorch or Keras writes.
_TORCH_ENTRY = re.compile(
    rb"[^/]+/(?:data\.pkl|constants\.pkl|version|\.format_version|byteorder)\Z"
)
_KERAS_ENTRIES = (b"metadata.json", b"config.json", b"model.weights.h5")
# ir_version, then the graph, the operator sets or a producer's name, which is text. A SavedModel has version 1.
_ONNX = re.compile(rb"\x08[\x02-\x3f](?:[\x3a\x42]|\x12[\x01-\x7f][\x20-\x7e])")
_PAGE = re.compile(rb"<(?:!doctype html|html|head|body)\b")
_SAFETENSORS = re.compile(rb".{5}\0\0\0\{\s*\"", re.DOTALL)
_GRAPH_MODEL = re.compile(rb'"format"\s*:\s*"graph-model"')

_LFS_POINTER = "is a Git LFS pointer in place of the file: get the file: git lfs pull"
_FROM_ONNX = "onnx2tf -i {} -o FOLDER (pip install onnx2tf), and pass FOLDER"
_FROM_TORCH = (
    "is a PyTorch file: export the model to ONNX in Python (torch.onnx.export), and convert the ONNX model: "
    + _FROM_ONNX.format("model.onnx")
)
_LOAD = "load them into the model in Python, and save the whole model (model.save or tf.saved_model.save)"


def require_no_lfs_pointer(path: Path) -> None:
    """Raises InvalidInput if a file, of any kind, is a Git LFS pointer, or cannot be read."""
    try:
        if path.stat().st_size > _MAX_POINTER:
            return
        with path.open("rb") as stream:
            start = stream.read(len(_POINTER))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None
    if start == _POINTER:
        raise InvalidInput(f"{path}: {_LFS_POINTER}")


@dataclass(frozen=True, slots=True)
class _Ends:
    """A file's path, its first HEAD bytes and its last TAIL bytes, or all of them."""

    path: Path
    head: bytes
    tail: bytes

    @property
    def word(self) -> str:
        """The path in a command line."""
        return shlex.quote(str(self.path))

    @property
    def suffix(self) -> str:
        """The suffix in lower case, which says whether a format is right."""
        return self.path.suffix.lower()


def _pointer(file: _Ends) -> str:
    return _LFS_POINTER if file.head.startswith(_POINTER) else ""


def _page(file: _Ends) -> str:
    text = file.head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if _PAGE.match(text):
        return "is an HTML page: download the file itself, not the page that shows it"
    if text.startswith(b"<?xml"):
        return "is an XML document, which may be the error message of a server: download the model again"
    return ""


def _zip(file: _Ends) -> str:
    if not file.head.startswith(_ZIP):
        return ""
    entry = file.head[30 : 30 + int.from_bytes(file.head[26:28], "little")]
    if _TORCH_ENTRY.match(entry):
        return _FROM_TORCH
    if file.suffix in keras.SUFFIXES:
        return ""
    if entry in _KERAS_ENTRIES:
        return "is a Keras file: give it a name that ends in .keras"
    return f"is a zip archive: unpack it (unzip {file.word}), and pass the model that it contains"


def _compressed(file: _Ends) -> str:
    unpack = f"unpack it (tar -xf {file.word}), and pass the model that it contains"
    if _is_tar(file.head):
        return f"is a tar archive: {unpack}"
    name = next((name for start, name in _COMPRESSED.items() if file.head.startswith(start)), "")
    if name == "gzip" and not _is_tar(_inflated(file.head)):
        if file.suffix == ".gz":
            return f"is compressed by gzip: gunzip {file.word}"
        renamed = shlex.quote(f"{file.path}.gz")
        return f"is compressed by gzip: mv {file.word} {renamed} && gunzip {renamed}"
    return f"is compressed by {name}: {unpack}" if name else ""


def _is_tar(data: bytes) -> bool:
    return data[_USTAR_PLACE:].startswith(_USTAR)


def _inflated(head: bytes) -> bytes:
    """Returns the first bytes of a gzip file's content; b"" if it is damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, 512)
    except zlib.error:
        return b""


def _pickle(file: _Ends) -> str:
    if file.head.startswith(_TORCH):
        return _FROM_TORCH
    if _PICKLE.match(file.head):
        return "is a pickled Python object: load it in Python, and save the model as a SavedModel (tf.saved_model.save)"
    return ""


def _onnx(file: _Ends) -> str:
    if _ONNX.match(file.head):
        return f"is an ONNX model: convert it: {_FROM_ONNX.format(file.word)}"
    return ""


def _json(file: _Ends) -> str:
    head = file.head
    if not head.lstrip().startswith(b"{"):
        return ""
    if b'"modelTopology"' in head or b'"weightsManifest"' in head:
        if _GRAPH_MODEL.search(head):
            return "is a TensorFlow.js graph model: pass the SavedModel from which it was converted"
        options = "--input_format=tfjs_layers_model --output_format=keras_saved_model"
        return (
            f"is a TensorFlow.js model: convert it: tensorflowjs_converter {options} {file.word} FOLDER "
            "(pip install tensorflowjs), and pass FOLDER"
        )
    if b'"class_name"' in head and b'"config"' in head:
        return f"is the configuration of a Keras model, without its weights: {_LOAD}"
    return ""


def _safetensors(file: _Ends) -> str:
    if _SAFETENSORS.match(file.head):
        return f"is a safetensors file, which contains weights but no model: {_LOAD}"
    return ""


def _other_name(file: _Ends) -> str:
    if file.head.startswith(_HDF5) and file.suffix not in keras.SUFFIXES:
        return "is an HDF5 file: if it is a Keras model, give it a name that ends in .h5"
    if file.head[4:8] == _TFLITE and file.suffix != ".tflite":
        return "is a TensorFlow Lite model: give it a name that ends in .tflite"
    return ""


def _checkpoint(file: _Ends) -> str:
    path = file.path
    if not checkpoint_files.is_part(path, file.head, file.tail):
        return ""
    folder = path.parent.parent
    if path.parent.name == "variables" and (folder / "saved_model.pb").is_file():
        return f"contains the variables of a SavedModel: pass the SavedModel's directory: {folder}"
    prefix = checkpoint_files.without_suffix(path)
    meta = prefix.with_name(f"{prefix.name}.meta")
    found = meta.is_file()
    graph = shlex.quote(str(meta)) if found else "GRAPH.pb"
    command = f"tfcarve freeze {graph} --checkpoint {shlex.quote(str(prefix))} --outputs NAMES -o model.pb"
    return (
        f"is a part of a checkpoint, which contains variables but no graph: freeze the graph with it: {command}"
        + ("" if found else f"; if there is no graph, {_LOAD}")
    )


_KINDS: tuple[Callable[[_Ends], str], ...] = (
    *(_pointer, _page, _zip, _compressed, _pickle, _onnx, _json, _safetensors, _other_name, _checkpoint),
)  # fmt: skip


def problem(path: Path, head: bytes, tail: bytes) -> str:
    """Returns a text with the format of a file and the way to get a model from it; "" for other formats.

    Args:
      path: the file.
      head: its first HEAD bytes, or all of them.
      tail: its last TAIL bytes.
    """
    file = _Ends(path, head, tail)
    return next(filter(None, (kind(file) for kind in _KINDS)), "")
