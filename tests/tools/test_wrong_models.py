"""Files that are no models: each command says what the file is and how to get a model, and writes nothing."""

from __future__ import annotations

import gzip
import io
import pickle
import shutil
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import flat
import protos
import pytest

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.models import other_formats
from tfcarve.models.mapped_file import mapped

_GRAPH = protos.graph(protos.node("n", "Relu", {"T": protos.type_value("float32")}))
_SAVED_MODEL = protos.saved_model(protos.meta_graph(_GRAPH, "serve"))
_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 5000\n" % (b"a1" * 32)
_TABLE_END = bytes(40) + bytes.fromhex("57fb808b247547db")
_ONNX_GRAPH = protos.data(7, protos.data(1, protos.data(4, "Relu")))


def _zipped(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, b"content")
    return content.getvalue()


def _tarred() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("model/saved_model.pb"))
    return content.getvalue()


@dataclass(frozen=True)
class Kind:
    """A file's content, its name, and parts of the message, in which FILE is the file."""

    content: bytes
    message: tuple[str, ...]
    name: str = "m.pb"


_ONNX2TF = "onnx2tf -i FILE -o FOLDER (pip install onnx2tf), and pass FOLDER"
_KINDS = {
    "empty": Kind(b"", ("is empty",)),
    "Git LFS": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull")),
    "Git LFS, .tflite": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.tflite"),
    "Git LFS, .keras": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.keras"),
    "Git LFS, .h5": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.h5"),
    "Git LFS, .pbtxt": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.pbtxt"),
    "Git LFS, .meta": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.meta"),
    "Git LFS, .yaml": Kind(_POINTER, ("is a Git LFS pointer", "git lfs pull"), "m.yaml"),
    "Git LFS, SavedModel": Kind(_POINTER, ("is a Git LFS", "git lfs pull"), "sm/saved_model.pb"),
    "page": Kind(b"\xef\xbb\xbf\n <!DOCTYPE html>\n<html><body>x", ("is an HTML page: download",)),
    "page, .h5": Kind(b"<html lang='en'>", ("is an HTML page: download",), "m.h5"),
    "XML": Kind(b"<?xml version='1.0'?><Error>", ("is an XML document", "download")),
    "zip": Kind(_zipped("a/saved_model.pb"), ("is a zip archive: unpack it (unzip FILE)",)),
    "Keras archive": Kind(_zipped("metadata.json"), ("is a Keras file", "ends in .keras")),
    "tar": Kind(_tarred(), ("is a tar archive: unpack it (tar -xf FILE)",)),
    "tar.gz": Kind(gzip.compress(_tarred()), ("by gzip: unpack it (tar -xf FILE)",), "m.tar.gz"),
    "gzip": Kind(gzip.compress(_GRAPH), ("by gzip: mv FILE FILE.gz && gunzip FILE.gz",)),
    "gzip, .gz": Kind(gzip.compress(_GRAPH), ("is compressed by gzip: gunzip FILE",), "m.pb.gz"),
    "ONNX of PyTorch": Kind(
        protos.number(1, 8) + protos.data(2, "pytorch") + _ONNX_GRAPH,
        (f"is an ONNX model: convert it: {_ONNX2TF}",),
        "m.onnx",
    ),
    "ONNX": Kind(protos.number(1, 12) + _ONNX_GRAPH, (f"ONNX model: convert it: {_ONNX2TF}",)),
    "PyTorch": Kind(
        _zipped("archive/data.pkl"),
        ("is a PyTorch file", "torch.onnx.export", _ONNX2TF.replace("FILE", "model.onnx")),
        "m.pt",
    ),
    "PyTorch, .h5": Kind(_zipped("m/.format_version"), ("is a PyTorch file",), "m.h5"),
    "PyTorch before 1.6": Kind(
        pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2), ("is a PyTorch file",)
    ),
    "pickle": Kind(pickle.dumps({"a": [1.0]}), ("is a pickled Python object", "save the model")),
    "TensorFlow.js": Kind(
        b'{"format": "layers-model", "modelTopology": {"keras_version": "2.1"}}',
        ("tensorflowjs_converter --input_format=tfjs_layers_model --output_format=keras_saved_model FILE FOLDER",),
        "model.json",
    ),
    "TensorFlow.js graph": Kind(
        b'{"format":"graph-model","modelTopology":{"node":[]},"weightsManifest":[]}',
        ("is a TensorFlow.js graph model", "pass the SavedModel"),
        "model.json",
    ),
    "Keras configuration": Kind(
        b'{"module": "keras", "class_name": "Sequential", "config": {}}',
        ("is the configuration of a Keras model, without its weights",),
        "model.json",
    ),
    "safetensors": Kind(
        (64).to_bytes(8, "little") + b'{"w":{"dtype":"F32"', ("is a safetensors file", "save the")
    ),
    "HDF5": Kind(b"\x89HDF\r\n\x1a\n\0", ("is an HDF5 file", "a name that ends in .h5")),
    "TensorFlow Lite": Kind(flat.model([], []), ("is a TensorFlow Lite model", "ends in .tflite")),
    "checkpoint's index": Kind(
        _TABLE_END,
        ("is a part of a checkpoint", "tfcarve freeze GRAPH.pb --checkpoint PREFIX --outputs NAMES"),
        "m.ckpt-1.index",
    ),
    "checkpoint's data": Kind(
        bytes(40), ("is a part of a checkpoint",), "m.ckpt-1.data-00000-of-00002"
    ),
    "checkpoint's state": Kind(
        b'model_checkpoint_path: "m.ckpt-1"\n', ("is a part of a checkpoint",), "checkpoint"
    ),
    "checkpoint V1": Kind(_TABLE_END, ("is a part of a checkpoint",), "m.ckpt"),
    "SavedModel's variables": Kind(
        _TABLE_END, ("pass the SavedModel's directory: FOLDER/sm",), "sm/variables/variables.index"
    ),
}  # fmt: skip

# The words of each command that reads models; MODEL is the file, GRAPH a valid graph, OUT an output.
_COMMANDS = (
    ["benchmark", "--figures", "FIGURES", "MODEL"],
    ["calibrate", "MODEL", "--data", "x.npz", "-o", "OUT"],
    ["compare", "MODEL", "GRAPH"],
    ["compare", "GRAPH", "MODEL"],
    ["diff", "MODEL", "GRAPH"],
    ["diff", "GRAPH", "MODEL"],
    ["freeze", "MODEL", "-o", "OUT"],
    ["freeze", "MODEL", "-o", "OUT", "--outputs", "n"],
    ["golden", "MODEL", "--output", "n=OUT"],
    ["graph", "MODEL", "-o", "OUT.svg"],
    ["inspect", "MODEL"],
    ["inspect", "MODEL", "--freeze"],
    ["memmap", "MODEL", "-o", "OUT"],
    ["protect", "MODEL", "--key-file", "KEY", "-o", "OUT"],
    ["select", "MODEL", "-o", "OUT"],
    ["select", "MODEL", "-o", "OUT", "--freeze"],
    ["transform", "MODEL", "-o", "OUT", "--preset", "mobile"],
)


def _write(folder: Path, kind: Kind) -> Path:
    path = folder / kind.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(kind.content)
    if path.parent.name == "variables":
        (path.parent.parent / "saved_model.pb").write_bytes(_SAVED_MODEL)
    return path


def _expected(kind: Kind, path: Path, folder: Path) -> list[str]:
    words = {"FILE": path, "PREFIX": path.with_name("m.ckpt-1"), "FOLDER/sm": folder / "sm"}
    found = list(kind.message)
    for word, value in words.items():
        found = [part.replace(word, str(value)) for part in found]
    return found


@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_each_command_names_the_format(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = {"GRAPH": _GRAPH, "KEY": bytes(32), "FIGURES": b"{}"}
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
    paths = {**{name: str(tmp_path / name) for name in others}, "OUT": str(tmp_path / "out")}
    for name, kind in _KINDS.items():
        path = _write(tmp_path / "model", kind)
        words = command
        for word, value in {**paths, "MODEL": str(path)}.items():
            words = [each.replace(word, value) for each in words]
        assert main(words) == 2, name
        message = capsys.readouterr().err
        for part in _expected(kind, path, tmp_path / "model"):
            assert part in message, (name, message)
        assert message.startswith(f"tfcarve: {path}: ") and message.count("\n") == 1
        assert not list(tmp_path.glob("out*")), name
        shutil.rmtree(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.keras", _zipped("metadata.json", "config.json", "model.weights.h5")),
        ("m.h5", b"\x89HDF\r\n\x1a\n\0"),
        ("m.tflite", flat.model([], [])),
        ("m.json", b'[["Add", null]]'),
        ("saved_model.pb", _SAVED_MODEL),
        ("m.pb", _GRAPH),
        ("m.pb", protos.graph(protos.node("version https://git-lfs.github.com/spec/", "<html>"))),
        ("m.pbtxt", b'node { name: "version https://git-lfs.github.com/spec/v1" }'),
        ("m.pbtxt", b"# <!DOCTYPE html>\nnode { }"),
        ("m.index.pb", _GRAPH),
        ("m.pb", b"\x08\x01\x12\x00"),
    ],
)
def test_models_are_not_mistaken(name: str, content: bytes, tmp_path: Path) -> None:
    """The control."""
    path = tmp_path / name
    path.write_bytes(content)
    assert bytes(mapped(path)[:]) == content


def test_a_truncated_file_is_recognized_by_its_first_bytes(tmp_path: Path) -> None:
    """Only the start and the end of a file are read, and any bytes are accepted."""
    for kind in _KINDS.values():
        for size in range(len(kind.content)):
            head = kind.content[:size]
            other_formats.problem(Path(kind.name), head, head[-other_formats.TAIL :])
    large = tmp_path / "large.pb"
    with large.open("wb") as stream:
        stream.write(_POINTER)
        stream.truncate(1 << 32)
    with pytest.raises(InvalidInput, match="git lfs pull"):
        mapped(large)


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        (["1/saved_model.pb", "2/saved_model.pb"], "pass a SavedModel in it: FOLDER/1, FOLDER/2"),
        (["m.ckpt-1.index"], "it has a checkpoint: pass the graph, GRAPH.pb or .meta, and --checkpoint FOLDER"),
        (["../saved_model.pb"], "pass the SavedModel's directory: PARENT"),
        (["model.pb"], "pass a file or a SavedModel directory"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["inspect", "freeze", "compare"])
def test_a_folder_that_is_no_saved_model(
    files: list[str],
    advice: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "outer" / "folder"
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).parent.resolve().joinpath(Path(name).name).write_bytes(_SAVED_MODEL)
    folder.mkdir(exist_ok=True)
    others = {"freeze": ["-o", str(tmp_path / "o.pb")], "compare": [str(folder)]}
    assert main([command, str(folder), *others.get(command, [])]) == 2
    wanted = advice.replace("FOLDER", str(folder)).replace("PARENT", str(folder.parent))
    wanted = (
        f"tfcarve: {folder}: is a directory without saved_model.pb or saved_model.pbtxt: {wanted}\n"
    )
    assert capsys.readouterr().err == wanted


def test_arrays_that_are_pointers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pb").write_bytes(_GRAPH)
    model = str(tmp_path / "m.pb")
    for name in ("x.npz", "x.npy"):
        (tmp_path / name).write_bytes(_POINTER)
    output = tmp_path / "o.npy"
    for words in (
        ["compare", model, model, "--data", str(tmp_path / "x.npz")],
        ["golden", model, f"--input=x={tmp_path / 'x.npy'}", f"--output=n={output}"],
    ):
        assert main(words) == 2
        assert "is a Git LFS pointer in place of the file" in capsys.readouterr().err
    assert not output.exists()
