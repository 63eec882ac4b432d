"""The JSON documents that tfcarve reads and writes: one row each."""

from __future__ import annotations

from dataclasses import dataclass

from tfcarve.benchmark import report_json
from tfcarve.benchmark.inspection import Inspection
from tfcarve.benchmark.measurement import Measurement
from tfcarve.json_codec import JsonDocument
from tfcarve.prepare.compare.report import CompareReport
from tfcarve.prepare.differences.diff_report import DiffReport
from tfcarve.prepare.quantize.ranges import Ranges
from tfcarve.proof.compare import Proof
from tfcarve.proof.manifest import Manifest
from tfcarve.registry.index import KernelIndex
from tfcarve.selection.selection import Selection
from tfcarve.size.committed import Committed
from tfcarve.size.link_line import LinkFile
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.report import Report


@dataclass(frozen=True)
class Document:
    """A kind of JSON document.

    Attributes:
        name: what the documentation and the schema's file name call it.
        document_type: the class that decodes it.
        written_by: who writes it, as Markdown.
        read_by: who reads it, as Markdown.
    """

    name: str
    document_type: type[JsonDocument]
    written_by: str
    read_by: str


DOCUMENTS: tuple[Document, ...] = (
    Document(
        "index",
        KernelIndex,
        "`tfcarve index`",
        "`tfcarve select`, `tfcarve locate`",
    ),
    Document(
        "selection",
        Selection,
        "`tfcarve select`, `tf_selection`",
        "`tfcarve header`, `op-files`, `units`, `explain`, `prove`, `size`",
    ),
    Document("proof", Proof, "`tfcarve prove --json`: a list with one for each slice", "people"),
    Document(
        "manifest", Manifest, "`tfcarve manifest`, into the library", "`tfcarve inspect`, apps"
    ),
    Document(
        "size_report",
        Report,
        "`tfcarve size`",
        "`tfcarve size`, `size-check`, `size-comment`, `benchmark`, `graph`",
    ),
    Document(
        "committed_sizes",
        Committed,
        "`tfcarve size-check --update`",
        "`tfcarve size-check`, `size-comment`",
    ),
    Document("inspection", Inspection, "`tfcarve inspect --json` of a model", "people"),
    Document(
        "ranges",
        Ranges,
        "`tfcarve calibrate`, `tf_prepared_model`",
        "`tfcarve transform --ranges`, the transforms `correct_biases`, `quantize_nodes` and `freeze_requantization_ranges`",
    ),
    Document("compare", CompareReport, "`tfcarve compare --json`, `tf_prepared_model`", "people"),
    Document("diff", DiffReport, "`tfcarve diff --json`", "people"),
    Document("link", LinkFile, "`tf_mobile_library`", "`tfcarve size`, `size-marginal`"),
    Document(
        "marginal_size",
        MarginalSize,
        "`tfcarve size-marginal --json`: a list with one for each target",
        "`tfcarve size --marginal-sizes`",
    ),
    Document("benchmark", report_json.Document, "`tfcarve benchmark --json`", "`tfcarve graph`"),
    Document(
        "benchmark_model", Measurement, "`benchmark_model --json=FILE`", "`tfcarve benchmark`"
    ),
)
