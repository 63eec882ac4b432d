"""All readers with valid inputs, damaged inputs, inputs that fuzzing found, and costly inputs."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace
from typing import Any

import binaries
import flat
import protos
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import extent
from fuzz import corpus, cost
from fuzz.reader import Reader
from fuzz.readers import READERS, read
from fuzz.repeated import SIZES, repeated
from tfcarve.prepare import transforms

_NAMES = sorted(READERS)
# Readers that call each transform, which takes seconds if it runs TensorFlow.
_TRANSFORMING = ("evaluated", "transformed")
# A machine may be busy; the fuzzer reports inputs that take too long. Each run tries the same inputs.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    max_examples=extent.of(15, 100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.mark.parametrize("name", [name for name in _NAMES if name not in _TRANSFORMING])
def test_seeds_are_accepted(name: str) -> None:
    assert all(read(name, seed) for seed in READERS[name].seeds)


@pytest.mark.parametrize("name", _NAMES)
def test_corpus(name: str) -> None:
    for data in corpus.load(name):
        read(name, data)


@pytest.mark.parametrize("name", _TRANSFORMING)
def test_each_transform_changes_a_seed(name: str) -> None:
    """The seeds are accepted. Otherwise a damaged seed would hardly reach the code that changes a graph."""
    reader = READERS[name]
    every: dict[str, list[bool]] = {}
    for seed in reader.seeds:
        for step, result in reader.call(seed).items():
            every.setdefault(step, []).append(result not in (None, seed))
    assert [step for step, changed in every.items() if not any(changed)] == []
    wanted = transforms.NAMES if name == "evaluated" else transforms.without_tensorflow()
    assert every.keys() == {*wanted, ""}
    # The control: what a transform does not apply to stays as it is.
    assert every["sparsify_gather"].count(True) == 1


@st.composite
def _damaged(draw: st.DrawFn, name: str) -> bytes:
    data = draw(st.sampled_from(READERS[name].seeds))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        data = data[:start] + draw(st.binary(max_size=12)) + data[end:]
    return data


@pytest.mark.parametrize("name", _NAMES)
@given(st.data())
def test_damaged_seeds(name: str, data: st.DataObject) -> None:
    read(name, data.draw(_damaged(name)))


# Without the reader that runs TensorFlow for each of 40 transforms; `transformed` shows the time of the transforms themselves.
@pytest.mark.parametrize("name", [name for name in _NAMES if name != "evaluated"])
@settings(max_examples=extent.of(6, 60))
@given(number=st.integers(0, 1 << 32))
def test_repeated_parts(name: str, number: int) -> None:
    for seed in READERS[name].seeds:
        assert not cost.takes_too_long(name, repeated(seed, number))


def test_each_kind_of_part_is_repeated() -> None:
    """As tokens, as bytes, and as fields of nested messages that stay valid."""
    text = [repeated(b"a 'bc' ", number) for number in range(100)]
    assert all(any(0.9 < len(made) / size < 1.1 for size in SIZES) for made in text)
    assert any(made.count(b"'bc'") > 1_000 for made in text)
    assert any(made.count(b"'b") < 10 and made.count(b"c'") > 1_000 for made in text)
    node = protos.node("n", "Relu", {}, "", ["abc"])
    graphs = [repeated(protos.graph(node), number) for number in range(100)]
    accepted = [made for made in graphs if read("graph_def", made)]
    assert any(made.count(b"Relu") > 1_000 for made in accepted)
    assert any(made.count(b"Relu") < 10 and made.count(b"abc") > 1_000 for made in accepted)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def _with_another_value(document: Any, draw: st.DrawFn) -> Any:
    """Returns the document with one value, at any depth, replaced."""
    places = list(document) if isinstance(document, dict) else list(range(len(document)))
    if not places:
        return draw(_JSON)
    place = draw(st.sampled_from(places))
    inner = document[place]
    deeper = isinstance(inner, dict | list) and draw(st.booleans())
    changed = dict(document) if isinstance(document, dict) else list(document)
    changed[place] = _with_another_value(inner, draw) if deeper else draw(_JSON)
    return changed


@st.composite
def _changed_json(draw: st.DrawFn, name: str) -> bytes:
    document = json.loads(READERS[name].seeds[0])
    return json.dumps(_with_another_value(document, draw)).encode()


@pytest.mark.parametrize(
    "name",
    [
        "benchmark_figures",
        "benchmark_json",
        "committed_sizes",
        "index",
        "keras_configuration",
        "link_facts",
        "marginal_sizes",
        "ops_json",
        "selection",
        "size_report",
    ],
)
@settings(max_examples=extent.of(15, 200))
@given(st.data())
def test_json_of_another_schema(name: str, data: st.DataObject) -> None:
    read(name, data.draw(_changed_json(name)))


@pytest.mark.parametrize("name", _NAMES)
def test_memory(name: str) -> None:
    inputs = [*READERS[name].seeds, *corpus.load(name)]
    if name == "evaluated":
        # Each runs all transforms, which takes seconds; the last seed needs the most memory.
        inputs = extent.some(inputs, READERS[name].seeds[-1])
    for data in inputs:
        assert cost.peak(name, data) <= cost.TIMES * len(data) + 1_000_000


# A quick run has costly inputs of a quarter of the size, and less than half of the time for each.
_SECONDS = extent.of(2, cost.SECONDS)


def _count(full: int) -> int:
    """Returns how many parts a costly input has in this run, if it has `full` in a full run."""
    return full // extent.of(4, 1)


def _repeated(before: bytes, part: bytes, after: bytes = b"") -> bytes:
    """Returns `part` repeated to a million bytes in a full run, with a prefix and a suffix."""
    return before + part * _count(1_000_000 // len(part)) + after


def _different(form: str, count: int = 50_000) -> bytes:
    """Returns `form` formatted with `count` different short words in a full run, concatenated."""
    return "".join(form % f"{number:x}" for number in range(_count(count))).encode()


_TINY = protos.data(1, protos.data(2, "A"))
_SHORT = b"".join(
    protos.data(1, protos.data(1, f"{i:x}") + protos.data(2, f"{i:x}") + protos.data(3, f"{i:x}")
                + protos.data(5, protos.data(1, f"{i:x}") + protos.data(2, b"\x18" + protos.varint(i))))
    for i in range(_count(30_000))
)  # fmt: skip
# Nodes of as many ops and devices, in one name scope.
_OPS = b"".join(
    protos.data(1, protos.data(1, f"s/{i:x}") + protos.data(2, f"{i:x}") + protos.data(4, f"{i:x}"))
    for i in range(_count(40_000))
)
# Values of types that TensorFlow does not have: two bytes become a text.
_UNKNOWN_TYPES = [protos.data(5, protos.data(1, f"{i:x}") + protos.data(2, protos.data(1, protos.data(6, b"".join(
    protos.varint(200 + (7 * i + j) % 10_000) for j in range(220)))))) for i in range(_count(1_000))]  # fmt: skip
_NAMES_OF_FUNCTIONS = b"".join(
    protos.data(1, protos.data(1, protos.data(1, f"{i:x}"))) for i in range(8)
)
_SOURCE = b'TFCARVE_SOURCE "a.cc"\n'
_C_KERNEL = (
    b'TFCARVE_C_KERNEL 6 "a.cc" TFCARVE_END f("B", &c); TF_RegisterKernelBuilder("BOp", b, s);'
)
_C_TEMPLATE = b"template <class T> void f() {" + _C_KERNEL + b"}\n"


def _overlapping(count: int) -> bytes:
    """Returns an object with sections of constants, each of which is the whole file."""
    made = bytearray(binaries.elf_with({f".rodata.cst{number}": b"" for number in range(count)}))
    (table,) = struct.unpack_from("<Q", made, 0x28)
    for number in range(1, count + 1):
        struct.pack_into("<QQ", made, table + 64 * number + 24, 0, len(made))
    return bytes(made)


def _figures(count: int) -> bytes:
    document = json.loads(READERS["benchmark_figures"].seeds[0])
    for key in ("nodes", "ops"):
        document[key] *= count
    return json.dumps(document, separators=(",", ":")).encode()


def _narrow_report(count: int, share: float) -> bytes:
    """Returns a report of many equal files in a part with a share of the bytes."""
    document = json.loads(READERS["size_report"].seeds[0])
    small = {"part": "core", "file": "", "class": "", "symbol": "", "bytes": 1000}
    whole = {**small, "part": "unattributed", "bytes": int(count * 1000 * (1 - share) / share)}
    document["entries"] = [whole, *(small | {"file": f"{number:x}"} for number in range(count))]
    document["attributed"] = count * 1000
    return json.dumps(document, separators=(",", ":")).encode()


def _report(count: int) -> bytes:
    """Returns a report of a class with many ops and models, and many symbols."""
    document = json.loads(READERS["size_report"].seeds[0])
    (kernel,), entry = document["kernels"], document["entries"][0]
    kernel["ops"] = [f"Op{number}" for number in range(count)]
    kernel["models"] = [f"{number}.pb" for number in range(count)]
    document["entries"] = [entry | {"symbol": f"s{number}"} for number in range(count)]
    document["attributed"] = count * entry["bytes"]
    return json.dumps(document, separators=(",", ":")).encode()


# The most expensive inputs that we know of.
_COSTLY: dict[str, list[tuple[str, bytes]]] = {
    "tiny nodes": [("graph_def", _repeated(b"", _TINY))],
    "short nodes": [("graph_def", _SHORT)],
    "inputs": [("graph_def", protos.data(1, protos.data(2, "A") + _repeated(b"", protos.data(3, "ab"))))],
    "attributes": [("graph_def", protos.data(1, protos.data(2, "A") + b"".join(
        protos.data(5, protos.data(1, f"{i:x}")) for i in range(_count(60_000)))))],
    "lists": [("graph_def", protos.data(1, protos.data(2, "A") + b"".join(protos.data(5, protos.data(1, f"{i:x}")
        + protos.data(2, protos.data(1, protos.data(3, b"\xff\x7f" * 30_000)))) for i in range(_count(20)))))],
    "functions": [("graph_def", protos.data(2, b"".join(
        protos.data(1, protos.data(1, protos.data(1, f"{i:x}"))) for i in range(_count(60_000)))))],
    "returned values of functions": [("graph_def", protos.data(2, protos.data(1, protos.data(1, protos.data(1, "F"))
        + _repeated(b"", protos.data(4, protos.data(2, "abc"))))))],
    "graphs": [("saved_model", _repeated(b"\x08\x01", protos.data(2, protos.data(2, ""))))],
    "functions of many graphs": [(name, _repeated(b"", protos.data(2, graph))) for name, graph in (
        ("meta_graph", protos.data(2, _NAMES_OF_FUNCTIONS)), ("saved_model", protos.data(2, protos.data(2, _NAMES_OF_FUNCTIONS))))],
    "signatures of many graphs": [("saved_model", _repeated(b"", protos.data(2, b"".join(
        protos.data(5, protos.data(1, f"{i:x}")) for i in range(8)) + protos.data(2, ""))))],
    "values of many graphs": [("saved_model", _repeated(b"", protos.data(2, protos.data(2, protos.data(1,
        protos.data(2, "A") + _UNKNOWN_TYPES[0])))))],
    "values that are cached": [("graph_def", b"".join(protos.data(1, protos.data(2, "A") + types) for types in _UNKNOWN_TYPES))],
    "values of Flex ops": [("tflite", flat.model(["FlexA"], [
        (0, flat.flex_options(b"A", protos.data(2, "A") + types)) for types in _UNKNOWN_TYPES], 2))],
    "tags of many graphs": [("meta_graph", _repeated(b"", protos.meta_graph(b"", "a")))],
    "graphs in one": [("meta_graph", _repeated(b"", protos.data(2, "")))],
    "tags": [("meta_graph", protos.data(1, _repeated(b"", protos.data(4, "abc"))))],
    "signatures": [("meta_graph", b"".join(protos.data(5, protos.data(1, f"{i:x}")) for i in range(_count(60_000))))],
    "texts of nodes": [("pbtxt", _repeated(b"", b'node{op:"A"}')), ("pbtxt", _different('node{name:"%s"op:"A"}'))],
    "texts of lists": [("pbtxt", _repeated(b'node{op:"A"input:["a"', b',"b"', b"]}"))],
    "texts of escapes": [("pbtxt", _repeated(b'node{attr{value{s:"', b"\\1", b'"}}}'))],
    "tiny values": [(name, _repeated(b"[", part, b"1]")) for name in ("index", "selection", "ops_json")
        for part in (b"[],", b"{},", b'{"a":1},')],
    "short names": [("ops_json", b"[" + _different('["a%s",""],') + b"[]]"), ("ops_yaml", b"ops: [" + _different("a%s,") + b"a]")],
    "tiny values of YAML": [("ops_yaml", _repeated(b"ops: [", part, b"a]")) for part in (b"[],", b"a,", b"{},", b"- \n")],
    "long tokens": [(name, _repeated(b'"', b"\\1", b'"')) for name in ("records", "skeleton", "build_file")],
    "brackets": [(name, _repeated(b"", b"(")) for name in ("records", "skeleton", "build_file", "attr_spec", "pbtxt")],
    "texts in a row": [("pbtxt", _repeated(b"node{name:", b'""', b"}"))],
    "registrations without an end": [("records", _repeated(_SOURCE, b'TFCARVE_OP 0 4 "a.cc" "A"\n'))],
    "registrations through the C API": [("records", _repeated(_SOURCE, part)) for part in (
        b'TFCARVE_C_KERNEL 6 "a.cc" TFCARVE_END f("B", &c);\n', b"void f() {" + _C_KERNEL + b"}\n", _C_TEMPLATE + b"f<A>();\n")],
    "calls of templates": [("records", _repeated(_SOURCE + _C_TEMPLATE, part)) for part in (b"f<A>();", b"f<")],
    "functions of a source": [("records", _repeated(_SOURCE + _C_KERNEL, b"void f(){}"))],
    "arguments": [("records", _repeated(_SOURCE + b'TFCARVE_C_KERNEL 6 "a.cc" TFCARVE_END f("a"', b",", b")"))],
    "calls in a row": [("records", _repeated(_SOURCE + b'TFCARVE_OP 0 4 "a.cc" "A" TFCARVE_END ', b".a()"))],
    "scopes in a row": [("records", _repeated(_SOURCE + b'TFCARVE_OP 0 4 "a.cc" "A" TFCARVE_END .', b"a::", b"b()"))],
    "a long number": [("records", _repeated(_SOURCE + b'TFCARVE_C_OP 6 "a.cc" TFCARVE_END f(', b"6", b")"))],
    "escapes": [("records", _repeated(_SOURCE + b'TFCARVE_KERNEL 0 3 "', b"\\1", b'" "A" N("A") TFCARVE_END'))],
    "sources": [("records", _different('TFCARVE_SOURCE "%s"\n'))],
    "registrations": [("records", _repeated(_SOURCE, b'TFCARVE_OP 0 4 "a.cc" "A" TFCARVE_END .Input("x: T");\n'))],
    "directives": [("skeleton", _repeated(b"", b"#a\n"))],
    "texts and a comment": [("skeleton", _repeated(b"/**/", b'""'))],
    "comments without an end": [("skeleton", _repeated(b"", b"/*")), ("attr_spec", _repeated(b"l: list(string) = [\"", b"/*"))],
    "texts without an end": [("attr_spec", _repeated(b'l: list(string) = ["', b'R"('))],
    "statements": [("build_file", _repeated(b"", b"a\n"))],
    "sections and symbols of a map": [("link_map", b"# Path: x\n# Object files:\n[ 1] a.o\n# Sections:\n"
        + _different("0x%s0000\t0x10\t__TEXT\t__a\n", 15_000) + b"# Symbols:\n" + _different("0x%s0000\t0x10\t[ 1] _a\n", 15_000))],
    "overlapping sections": [("objects", binaries.archive({"a.o": _overlapping(_count(5_000))}))],
    "ops and nodes": [("benchmark_figures", _figures(_count(4_000)))],
    "ops, models and entries": [("size_report", _report(_count(4_000)))],
    "equal files": [("size_report", _narrow_report(_count(14_000), share)) for share in (0.0036, 0.0038, 0.5, 1.0)],
    "nodes that are shown": [(name, data) for name in ("inspected", "drawn", "event_file")
        for data in (_repeated(b"", _TINY), _SHORT, _OPS, protos.data(1, protos.data(2, "A") + _repeated(b"", protos.data(3, "ab"))))],
    "a Flex op repeated": [("tflite", flat.model(["FlexA"], [(0, flat.flex_options(b"A", protos.data(2, "A")))] * _count(8_000), 2))],
}  # fmt: skip


# These took more than two and a half seconds each, 200 of all 240 seconds (2026-11-29); a quick run has the others.
_SLOW = {
    "calls of templates",
    "directives",
    "equal files",
    "nodes that are shown",
    "registrations through the C API",
    "returned values of functions",
    "texts in a row",
    "texts of lists",
    "texts of nodes",
    "tiny nodes",
    "tiny values of YAML",
    "values of Flex ops",
    "values of many graphs",
    "values that are cached",
}


@pytest.mark.parametrize(
    "kind", extent.some(list(_COSTLY), *(kind for kind in _COSTLY if kind not in _SLOW))
)
def test_costly_inputs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "SECONDS", _SECONDS)
    for name, data in _COSTLY[kind]:
        problem = cost.takes_too_long(name, data) or cost.takes_too_much_memory(name, data)
        assert not problem, name


def test_cost_limits_are_enforced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a reader that allocates a value for each byte, and one of quadratic time."""
    reader = Reader([], lambda data: [bytes([byte, 1, 2]) for byte in data], ValueError, [b"a"])
    monkeypatch.setitem(READERS, "wasteful", reader)
    monkeypatch.setattr(cost, "SECONDS", 0.5)
    monkeypatch.setattr(cost, "GROWN", 200_000)
    assert cost.takes_too_much("wasteful", b"a")
    monkeypatch.setitem(READERS, "wasteful", replace(reader, call=bytearray))
    assert not cost.takes_too_much("wasteful", b"a")
    square = replace(reader, call=lambda data: sum(a < b for a in data for b in data))
    monkeypatch.setitem(READERS, "wasteful", square)
    assert re.match(r"part 0 repeated: .* s for", cost.takes_too_much("wasteful", b"a"))
