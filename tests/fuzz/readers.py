"""All readers of untrusted input, each with the one error that it may raise and seed inputs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

import flat
import indexes
import numpy as np
import protos
from selections import selection

from fuzz import document_readers, graph_readers, library_readers, model_readers, shown_readers
from fuzz.reader import Reader, of_text
from tfcarve.build_files import evaluate as build_file
from tfcarve.emit import aligned_graph, constant_node, memmapped_package, tensor_content
from tfcarve.errors import InvalidInput
from tfcarve.models import (
    graph_def,
    graph_text,
    memmapped,
    meta_graph,
    ops_list,
    text_format,
    tflite,
    wire,
)
from tfcarve.models.flatbuffer import FlatError
from tfcarve.models.lite_interface import lite_interface
from tfcarve.models.meta_graph import MetaGraph
from tfcarve.models.wire import Budget
from tfcarve.prepare.compare import npz
from tfcarve.registry import attr_spec, index, records, skeleton
from tfcarve.selection import selection as selections


def _graph(data: bytes) -> object:
    return graph_def.graph(data, 0, len(data), "m", Budget(len(data)))


def _aligned(data: bytes) -> object:
    return sum(len(piece.data) for piece in aligned_graph.aligned(data))


def _packaged(data: bytes) -> object:
    return sum(len(piece.data) for piece in memmapped_package.package(data))


def _memmapped(data: bytes) -> object:
    regions = memmapped.regions(data)
    read = graph_def.graph(data, *regions[memmapped.GRAPH], "m", Budget(len(data)))
    return list(memmapped.RestoredNodes(read.nodes, regions))


def _graphs(data: bytes, budget: Budget, found: Iterable[MetaGraph]) -> object:
    return [(one, graph_def.graph(data, *one.graph, "m", budget)) for one in found]


def _saved_model(data: bytes) -> object:
    budget = Budget(len(data))
    return _graphs(data, budget, meta_graph.saved_model(data, budget))


def _meta_graph(data: bytes) -> object:
    budget = Budget(len(data))
    return _graphs(data, budget, meta_graph.meta_graph(data, 0, len(data), budget))


def _index(data: bytes) -> object:
    return index.parse(data, "index.json")


def _skeleton(text: str) -> None:
    tree = {"a.h": "p/a.h", "b.h": "b.h"}
    for whole in (False, True):
        skeleton.make(text, whole, tree.get)


_SETS = {"NumberTypes": ("float32",), "QuantizedTypes": ("qint8",), "RealNumberTypes": ()}
_NODE = protos.node(
    "n",
    "Relu",
    {
        "T": protos.type_value("float32"),
        "list": protos.types_value("float32", "int32"),
        "value": protos.tensor_value("float32", (2, 3), b"values"),
        "f": protos.function_value("F"),
        "p": protos.placeholder_value("T"),
        "s": protos.string_value("NHWC"),
    },
    "/device:GPU:0",
    ["a", "^b"],
)
_GRAPH = protos.graph(_NODE, functions=[protos.function("F", _NODE, returned=["n:out:0"])])
_LARGE = protos.graph(
    protos.node("c", "Const", {"value": protos.tensor_value("int32", (256,), bytes(1024))}, inputs=["^a"]),
    protos.node("d", "Const", {"value": protos.data(8, protos.number(1, 9) + protos.data(2, protos.shape(2, 64)) + protos.data(10, bytes(range(128))))}),
)  # fmt: skip
_PACKAGE = b"".join(piece.data for piece in memmapped_package.package(_LARGE))
_SIDES = protos.signature(["a:0"], ["n:0"])
_PBTXT = b"""\
# A comment
node { name: "n" op: 'Relu' input: "a" device: "\\057cpu:0"
  attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "l" value { list { i: [1, 2, 0x3] type: DT_INT32 } } }
  attr < key: "t" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: -1 } } float_val: 1.5e-3 } } > }
library { function { signature { name: "F" } node_def { op: "Add" attr { key: "f" value { func { name: "G" } } } } } }
versions { producer: 22 }
"""
_SAVED_PBTXT = b"""\
saved_model_schema_version: 1
meta_graphs { meta_info_def { tags: "serve" } graph_def { node { name: "n" op: "Relu" } }
  signature_def { key: "s" value { inputs { key: "x" value { name: "n:0" } } } } }
"""
_FLEX = flat.model(["FlexAdd", "x"], [(0, flat.flex_options(b"Relu", _NODE)), (1, b"z")], 2)
_BUILD = b"""\
load("//a:b.bzl", "c")
FILES = ["a.cc"] + glob(["**/*.cc", "b*.h"], exclude = ["x"])
[cc_library(name = "n_%s" % n, srcs = FILES, deps = select({"//conditions:default": []})) for n in ["a"]]
filegroup(name = "f", srcs = ["{}.cc".format(x) for x in ["a", "b"] if x] + if_mobile([":n_a"]))
"""
_RECORDS = rb"""
TFCARVE_SOURCE "a.cc"
TFCARVE_KERNEL 0 3 "a.cc" "AOp<CPUDevice, float>" Name("A").Device(DEVICE_CPU).TypeConstraint<float>("T").HostMemory("x") TFCARVE_END
TFCARVE_OP 0 4 "a.cc" "A" TFCARVE_END .Input("x: T").Attr("T: {float, int32} = DT_FLOAT").SetIsStateful();
TFCARVE_GRADIENT 5 "a.cc" "A" , AGrad TFCARVE_END
template <typename T> void Register() {
  auto* b = TFCARVE_C_KERNEL 6 "a.cc" TFCARVE_END TF_NewKernelBuilder("B", "CPU", &a, &b, &c);
  TF_KernelBuilder_TypeConstraint(b, "T", static_cast<TF_DataType>(DataTypeToEnum<T>::v()), s);
  TF_RegisterKernelBuilder("BOp", b, s);
}
void All() { Register<float>(); }
"""
_SKELETON = b"""\
/* comment */ #include "a.h"
#define REGISTER_KERNEL_BUILDER(a, ...) \\
  no
#if defined(X) && 1  // yes
#include <b.h>
#pragma once
#error no
#endif
const char* text = "/* no comment */";
"""
_ATTRS = (b"T: {float, int32} = DT_FLOAT", b"N: int >= 2 = 3", b"l: list(type) >= 1", b"s: list(string) = ['a', \"b\"]")  # fmt: skip


def _npz() -> bytes:
    written = io.BytesIO()
    np.savez(written, x=np.arange(6, dtype=np.float32).reshape(2, 3), s=np.array([b"a", b"bc"]))
    return written.getvalue()


_NPZ = _npz()

# Lists up to this size are read whole before they are checked.
_SPARE_OF_LISTS = 16_000_000

READERS: dict[str, Reader] = {
    **document_readers.READERS,
    **graph_readers.READERS,
    **library_readers.READERS,
    **model_readers.READERS,
    **shown_readers.READERS,
    "graph_def": Reader([graph_def], _graph, wire.WireError, [_GRAPH]),
    "saved_model": Reader(
        [graph_def, meta_graph], _saved_model, wire.WireError, [protos.saved_model(protos.meta_graph(_GRAPH, "serve", signatures={"s": _SIDES}))]
    ),
    "meta_graph": Reader([graph_def, meta_graph], _meta_graph, wire.WireError, [protos.meta_graph(_GRAPH, "train")]),
    "aligned_graph": Reader([aligned_graph, constant_node, tensor_content], _aligned, wire.WireError, [_GRAPH, _LARGE]),
    "memmapped": Reader([graph_def, memmapped], _memmapped, wire.WireError, [_PACKAGE]),
    "memmapped_package": Reader(
        [memmapped_package, constant_node, tensor_content], _packaged, wire.WireError, [_GRAPH, _LARGE]
    ),
    "pbtxt": Reader([graph_text], graph_text.to_binary, text_format.TextError, [_PBTXT, _SAVED_PBTXT]),
    "tflite": Reader([tflite], lambda data: (tflite.flex_ops(data, "m"), lite_interface(data)), FlatError, [_FLEX]),
    "ops_json": Reader([ops_list], lambda data: ops_list.from_json(data, "ops.json"), InvalidInput, [b'[["Add", "A<b>"], ["B", null]]'], _SPARE_OF_LISTS),
    "ops_yaml": Reader(
        [ops_list],
        lambda data: ops_list.from_yaml(data, "ops.yaml"),
        InvalidInput,
        [b"ops: [Add, {op: B, types: [half]}, {op: C, classes: ['C<d>']}]\ndtypes: [float]\n"],
        _SPARE_OF_LISTS,
    ),
    "index": Reader([index], _index, InvalidInput, [indexes.INDEX.to_json()], _SPARE_OF_LISTS),
    "selection": Reader(
        [selections],
        lambda data: selections.parse(data, "selection.json"),
        InvalidInput,
        [selection([("A", "AOp", "k.cc")], [("A", "o.cc")], helpers=["h.cc"]).to_json()],
        _SPARE_OF_LISTS,
    ),
    "build_file": Reader(
        [build_file],
        of_text(lambda text: build_file.evaluate(text, "p/BUILD", ["a.cc", "b/c.cc"])),
        build_file.BuildFileError,
        [_BUILD],
        100_000_000,  # Python's own parser
    ),
    "npz": Reader([npz], lambda data: npz.arrays(io.BytesIO(data), "x.npz"), InvalidInput, [_NPZ]),
    "records": Reader([records], of_text(records.parse), records.ParseError, [_RECORDS]),
    "skeleton": Reader([skeleton], of_text(_skeleton), UnicodeError, [_SKELETON]),
    "attr_spec": Reader(
        [attr_spec], of_text(lambda text: attr_spec.attr(text, _SETS)), attr_spec.SpecError, list(_ATTRS)
    ),
}  # fmt: skip


def read(name: str, data: bytes) -> bool:
    """Returns whether a reader accepts `data`. Errors other than its own are not caught."""
    reader = READERS[name]
    try:
        reader.call(data)
    except reader.error as error:
        if not str(error):
            raise AssertionError("an error without a message") from error
        return False
    return True


# Tokens that a fuzzer would take long to find.
DICTIONARY = sorted({
    word
    for seed in (_RECORDS, _PBTXT, _BUILD, _SKELETON, json.dumps(sorted(_SETS)).encode())
    for word in seed.split()
    if len(word) < 60
})  # fmt: skip
