"""Tests of reading model files of all kinds; errors state what would be right."""

import hashlib
import mmap
import re
from pathlib import Path

import flat
import protos
import pytest
from protos import node

from tfcarve.errors import InvalidInput
from tfcarve.models.choice import Choice
from tfcarve.models.mapped_file import mapped
from tfcarve.models.read import read

_GRAPH = protos.graph(node("n", "Relu", {"T": protos.type_value("float32")}))
_TEXT = 'node { name: "n" op: "Relu" attr { key: "T" value { type: DT_FLOAT } } }'


def _write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("m.pb", _GRAPH, "graphdef"),
        ("m.pbtxt", _TEXT, "graphdef-text"),
        ("m.pb.txt", _TEXT, "graphdef-text"),
        ("m.meta", protos.meta_graph(_GRAPH), "meta_graph"),
        ("m.pbtxt", f"graph_def {{ {_TEXT} }}", "meta_graph-text"),
        (
            "sm/saved_model.pb",
            protos.saved_model(protos.meta_graph(_GRAPH, "serve")),
            "saved_model",
        ),
        ("sm/saved_model.pbtxt", f"meta_graphs {{ graph_def {{ {_TEXT} }} }}", "saved_model-text"),
    ],
)
def test_equal_models_in_different_formats(
    tmp_path: Path, name: str, content: bytes | str, kind: str
) -> None:
    path = _write(tmp_path / name, content)
    path = path.parent if path.parent != tmp_path else path
    model = read(path)
    assert model.format == kind
    assert model.path == str(path)
    assert [(n.node, n.op, n.attrs["T"].value) for n in model.nodes] == [("n", "Relu", "float32")]


def _resident(path: Path) -> int:
    """Returns how many bytes of a mapped file are in this process's memory. Source: proc(5)."""
    entry = rf"/{re.escape(path.name)}$(?:\n\w+: .*)*?\nRss: +(\d+) kB"
    maps = Path("/proc/self/smaps").read_text()
    return sum(int(size) * 1024 for size in re.findall(entry, maps, re.MULTILINE))


def test_large_graph_takes_no_memory(tmp_path: Path) -> None:
    const = node("weights", "Const", {"value": protos.tensor_value("float32", (4096,), b"\0" * 65536)})  # fmt: skip
    path = _write(tmp_path / "long.pb", protos.graph(*[const] * 512))
    model = read(path)
    model.digest()  # hashing maps the file too
    assert [n.op for n in model.nodes] == ["Const"] * 512
    assert _resident(path) < 10 << 20
    content = mapped(path)
    assert sum(content[place] for place in range(0, len(content), mmap.PAGESIZE)) >= 0
    assert _resident(path) > 30 << 20


def test_tflite_and_lists(tmp_path: Path) -> None:
    assert not read(_write(tmp_path / "m.tflite", flat.model([], []))).nodes
    assert read(_write(tmp_path / "m.json", '[["Add", null]]')).requests[0].op == "Add"
    assert read(_write(tmp_path / "m.yaml", "ops: [Add]")).requests[0].op == "Add"


def test_tags(tmp_path: Path) -> None:
    other = protos.graph(node("o", "Elu"))
    data = protos.saved_model(
        protos.meta_graph(_GRAPH, "serve"), protos.meta_graph(other, "serve", "gpu")
    )
    path = _write(tmp_path / "saved_model.pb", data)
    assert [n.op for n in read(path, Choice(("gpu",))).nodes] == ["Elu"]
    assert [n.op for n in read(path).nodes] == ["Relu", "Elu"]
    with pytest.raises(InvalidInput, match="no graph with the tags tpu: it has serve; serve, gpu"):
        read(path, Choice(("tpu",)))


_TWO_HEADS = protos.graph(
    node("x", "Placeholder"),
    node("decoded", "DecodePng", inputs=["x"]),
    node("trunk", "Relu", inputs=["decoded", "^order"]),
    node("order", "NoOp"),
    node("one", "Elu", inputs=["trunk:0"]),
    node("two", "F", inputs=["trunk"]),
    node("saver", "SaveV2"),
    functions=[protos.function("F", node("in_f", "Selu"))],
)
_SIGNATURES = {
    "one": protos.signature(["x:0"], ["one:0"]),
    "inner": protos.signature(["trunk:0"], ["one:0"]),
    "two": protos.signature(["x:0"], ["two:0"]),
    "broken": protos.signature(["x:0"], ["gone:0"]),
}
_TWO_HEADS_TEXT = """meta_graphs { graph_def {
  node { name: "x" op: "Placeholder" } node { name: "one" op: "Elu" input: "x" } node { name: "saver" op: "SaveV2" } }
  signature_def { key: "one" value { inputs { key: "x" value { name: "x:0" } } outputs { key: "y" value { name: "one:0" } } } }
  signature_def { key: "sparse" value { outputs { key: "y" value {
    composite_tensor { components { coo_sparse { values_tensor_name: "x:0" } } } } } } } }"""


@pytest.mark.parametrize(
    ("signatures", "ops"),
    [
        ((), {"Placeholder", "DecodePng", "Relu", "NoOp", "Elu", "F", "SaveV2", "Selu"}),
        (("one",), {"Placeholder", "DecodePng", "Relu", "NoOp", "Elu", "Selu"}),
        (("two",), {"Placeholder", "DecodePng", "Relu", "NoOp", "F", "Selu"}),
        (("inner",), {"Relu", "Elu", "Selu"}),
        (
            ("one", "two", "of another model"),
            {"Placeholder", "DecodePng", "Relu", "NoOp", "Elu", "F", "Selu"},
        ),
    ],
    ids=[
        "all of the graph",
        "one",
        "with a function",
        "inputs of a fed node are not needed",
        "two",
    ],
)
def test_signatures(tmp_path: Path, signatures: tuple[str, ...], ops: set[str]) -> None:
    data = protos.saved_model(protos.meta_graph(_TWO_HEADS, "serve", signatures=_SIGNATURES))
    path = _write(tmp_path / "saved_model.pb", data)
    model = read(path, Choice(signatures=signatures))
    assert {
        n.op for n in model.nodes
    } == ops  # unneeded functions are removed later, by the selection
    assert list(model.signatures) == [s for s in sorted(_SIGNATURES) if not signatures or s in signatures]  # fmt: skip


def test_signatures_in_text_form(tmp_path: Path) -> None:
    path = _write(tmp_path / "saved_model.pbtxt", _TWO_HEADS_TEXT)
    one = read(path, Choice(signatures=("one",)))
    assert {n.op for n in one.nodes} == {"Placeholder", "Elu"}
    assert one.outputs == {"one"}
    assert [n.op for n in read(path, Choice(signatures=("sparse",))).nodes] == ["Placeholder"]


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("serve", "no signature serve: it has broken, inner, one, two"),
        ("broken", "signature broken refers to the node 'gone', which does not exist"),
    ],
)
def test_missing_signatures(tmp_path: Path, signature: str, message: str) -> None:
    data = protos.saved_model(protos.meta_graph(_TWO_HEADS, "serve", signatures=_SIGNATURES))
    path = _write(tmp_path / "saved_model.pb", data)
    with pytest.raises(InvalidInput, match=f"^{path}: {message}"):
        read(path, Choice(signatures=(signature,)))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.pb", b"", "is empty"),
        (
            "m.pb",
            "node { }",
            "is text, not a binary graphdef: if it is one in text form, name it .pbtxt",
        ),
        ("m.pb", b"\xff\xfe\xfd", "not a protocol buffer"),
        ("m.pb", _GRAPH[:-20], "truncated or damaged"),
        ("m.pb", protos.graph(), "the graph has no nodes"),
        ("m.pbtxt", "# nothing", "the graph has no nodes"),
        ("m.pbtxt", b"\xff", "line 1: unexpected"),
        ("m.pbtxt", "node {", "line 1: the text ends inside a message"),
        ("m.meta", protos.meta_graph(protos.graph()), "the graph has no nodes"),
        ("m.meta", protos.data(1, ""), "it has no graphs"),
        ("m.tflite", b"abc", "not a TensorFlow Lite model"),
        ("m.json", "{}", "Expected `array`"),
        ("m.yaml", "[]", "Expected `object`"),
        ("m.yaml", b"\xff", "byte 0: not UTF-8 text"),
        ("m.json", b" " * 5_000_000, "5000000 bytes: an ops list has at most 4194304"),
        ("m.yaml", b"#" * 5_000_000, "pass the model itself"),
        ("m.keras", b"", "is empty"),
        ("m.h5", b"x", "is a Keras file: freeze it first: tfcarve freeze"),
    ],
)
def test_bad_file(tmp_path: Path, name: str, content: bytes | str, message: str) -> None:
    path = _write(tmp_path / name, content)
    with pytest.raises(InvalidInput, match=message) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="gone.pb: no such file: pass a model"):
        read(tmp_path / "gone.pb")


def test_directory_without_saved_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a directory without saved_model.pb"):
        read(tmp_path)


def test_directory_with_a_file_name(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").mkdir()
    with pytest.raises(InvalidInput, match="is a directory"):
        read(tmp_path)


def test_unreadable(tmp_path: Path) -> None:
    loop = tmp_path / "loop.pb"
    loop.symlink_to(loop)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read(loop)


def test_digest_is_that_of_the_file_that_was_read(tmp_path: Path) -> None:
    content = protos.saved_model(protos.meta_graph(_GRAPH, "serve"))
    file = _write(tmp_path / "sm/saved_model.pb", content)
    hashed = []

    def digest(path: Path) -> str:
        hashed.append(path)
        return "0123"

    model = read(file.parent, sha256=digest)
    assert not hashed
    assert model.digest() == "0123"
    assert hashed == [file]
    assert read(file.parent).digest() == hashlib.sha256(content).hexdigest()
