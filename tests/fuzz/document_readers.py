"""Readers of documents: configurations of Keras models, arrays, benchmark figures and size reports."""

from __future__ import annotations

import datetime
import io
import json
import zipfile

import node_lines
import numpy as np

from fuzz.reader import Reader
from tfcarve import json_codec
from tfcarve.benchmark import figures, measurement, report, report_json, tables
from tfcarve.benchmark.measurement import Measurement, Node, Op, Output, Statistics
from tfcarve.client import arrays
from tfcarve.emit import link_facts
from tfcarve.errors import InvalidInput
from tfcarve.models import keras_config, keras_file
from tfcarve.prepare.quantize import ranges
from tfcarve.prepare.quantize.ranges import Ranges, TensorRange
from tfcarve.size import comment, committed, marginal, owners, page
from tfcarve.size import report as size_report
from tfcarve.size.committed import Committed, Waiver
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.origin import KERNELS, LINKER
from tfcarve.size.report import Definition, Entry, Kernel, Report


def _keras_archive(data: bytes) -> object:
    """The weights are not read: HDF5's library crashes for some damaged files. A process of its own reads them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = keras_file.archive_configuration(archive)
    except keras_file.DAMAGED as error:
        raise keras_config.UnsafeError(str(error)) from None
    return keras_config.require_safe_configuration(found.text)


USES = node_lines.nodes("x Placeholder\nfilter Const\nconv Conv2D x filter\ny Relu conv")


def _figures(data: bytes) -> object:
    read = measurement.parse(data, "f.json")
    figures.check(read, "f.json", USES, "m.pb")
    found = report.benchmark("f.json", "", read, USES, None)
    rows = [*tables.summary(found), *tables.ops(found), *tables.nodes(found, 9)]
    return report_json.report_json(found), rows


def _size_report(data: bytes) -> object:
    read = size_report.parse(data, "r.json")
    by = owners.Owners(read)
    sums = [read.by(key) for key in (by.op, by.model)]
    updated = committed.parse(committed.updated(_COMMITTED, [read], _TODAY), "sizes.json")
    lines = committed.delta_line(_COMMITTED, [read]), committed.delta_line(updated, [REPORT])
    return page.page(read, REPORT, ()), page.page(REPORT, read, ()), sums, lines


def _committed(data: bytes) -> object:
    found = committed.parse(data, "sizes.json")
    updated = committed.updated(found, [REPORT], _TODAY), committed.delta_line(found, [REPORT])
    return comment.comment(found.reports, {"linux": REPORT}), updated


_LAYERS = [
    {"module": "keras.layers", "class_name": "Dense", "registered_name": None,
     "config": {"units": 2, "activation": {"module": "builtins", "class_name": "function", "config": "relu", "registered_name": "relu"}}},
    {"module": "keras.src.layers.core.tf_op_layer", "class_name": "TFOpLambda", "config": {"function": "math.add"}},
    {"class_name": "__typespec__", "module": "tensorflow.python.ops.ragged", "spec_name": "RaggedTensorSpec"},
]  # fmt: skip
_KERAS = json.dumps(
    {"module": "keras", "class_name": "Functional", "config": {"layers": _LAYERS}, "compile_config": {"loss": "mse"}}
).encode()  # fmt: skip


def _archive(compression: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as archive:
        archive.writestr("metadata.json", '{"keras_version": "3.15.1", "date_saved": "2026-11-29"}')
        archive.writestr("config.json", _KERAS)
        archive.writestr("model.weights.h5", b"weights")
    return written.getvalue()


def _npy() -> bytes:
    written = io.BytesIO()
    np.save(written, np.arange(6, dtype=np.float32).reshape(2, 3))
    return written.getvalue()


_STATISTICS = Statistics(min=9.0, median=10.0, p95=12.5, mean=10.5, stddev=0.25)
_OUTPUTS = (Output(dtype=1, dims=(1, 8, 8, 4)),)
_FIGURES = Measurement(
    version=1, model="m.pb", threads=1, warmup=1, runs=20, traced_runs=5, load_ms=30.0, first_ms=11.0,
    wall_ms=_STATISTICS, cpu_ms=_STATISTICS, peak_bytes=50, anonymous_bytes_loaded=20, anonymous_bytes=None,
    nodes=(
        Node(name="x", op="_Arg", inputs=(), calls=1, ms=1.0, share=0.1, bytes=0, outputs=_OUTPUTS),
        Node(name="filter", op="Const", inputs=(), calls=1, ms=1.0, share=0.1, bytes=0, outputs=_OUTPUTS),
        Node(name="conv", op="Conv2D", inputs=("x", "filter"), calls=1, ms=8.0, share=0.8, bytes=4e6, outputs=_OUTPUTS),
    ),
    ops=(Op(op="Conv2D", nodes=1, calls=1, ms=8.0, share=0.8, bytes=4e6),),
)  # fmt: skip
_RELU, _FLOAT = "kernels/relu_op.cc", "ReluOp<CPUDevice, float>"
REPORT = Report(
    version=1,
    platform="linux",
    sizes={"stripped": 1000, "text": 900, "gzip": 300},
    attributed=700,
    models=("a.pb", "b.pb"),
    kernels=(Kernel(_RELU, _FLOAT, ("Relu",), ("a.pb",)),),
    definitions=(Definition("ops/nn_ops.cc", "Relu", ("a.pb",)),),
    entries=(
        Entry(KERNELS, _RELU, _FLOAT, "ReluOp::Compute()", 700),
        Entry(LINKER, ".dynsym", "", "", 300),
    ),
)
_TODAY = datetime.date(2026, 1, 1)
_COMMITTED = Committed(
    version=1,
    waivers=(Waiver("linux", "gzip", 400, "because", _TODAY),),
    reports={"linux": REPORT},
)  # fmt: skip
_MARGINAL = MarginalSize(
    "op:Relu", {"stripped": 9, "text": 8, "gzip": 7}, (_RELU,), (), ("k.cc",), False
)
_RANGES = Ranges(
    version=1,
    model_sha256="0" * 64,
    method="percentile",
    percentile=99.99,
    samples=3,
    ranges=(TensorRange("conv", -1.5, 2.0), TensorRange("split:1", 0.0, 1e-3)),
)
_FACTS = link_facts.LinkFacts("linux_x86_64", "linux", "", "libx.so", (), ("-lm",), ("A=1",))


def benchmark_json() -> bytes:
    """Returns the document that `tfcarve benchmark --json` prints for the figures."""
    return report_json.report_json(report.benchmark("p", "x86_64", _FIGURES, USES, None))


READERS: dict[str, Reader] = {
    "keras_configuration": Reader(
        [keras_config], keras_config.require_safe_configuration, keras_config.UnsafeError, [_KERAS], 16_000_000
    ),
    "keras_archive": Reader(
        [keras_config, keras_file], _keras_archive, keras_config.UnsafeError, [_archive(zipfile.ZIP_STORED), _archive(zipfile.ZIP_DEFLATED)], 16_000_000
    ),
    "npy": Reader([arrays], lambda data: arrays.parse_npy(data, "x.npy"), InvalidInput, [_npy()]),
    "benchmark_figures": Reader(
        [measurement, figures, report, report_json, tables], _figures, InvalidInput, [json_codec.encode(_FIGURES)], 16_000_000
    ),
    "size_report": Reader([size_report, owners, page, committed], _size_report, InvalidInput, [REPORT.to_json()], 16_000_000),
    "committed_sizes": Reader([committed, comment], _committed, InvalidInput, [json_codec.encode(_COMMITTED)], 16_000_000),
    "marginal_sizes": Reader(
        [marginal], lambda data: marginal.parse(data, "m.json"), InvalidInput, [json_codec.encode((_MARGINAL,))], 16_000_000
    ),
    "ranges": Reader(
        [ranges], lambda data: ranges.parse(data, "r.json").by_tensor(), InvalidInput, [_RANGES.to_json()], 16_000_000
    ),
    "link_facts": Reader(
        [link_facts], lambda data: link_facts.parse(data, "facts.json"), InvalidInput, [json_codec.encode(_FACTS)], 16_000_000
    ),
}  # fmt: skip
