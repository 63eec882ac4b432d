"""Freezes models in this process and runs the frozen graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import in_tests
import tensorflow as tf
from freeze_sources import Source

from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.newer import data as newer_data
from tfcarve.prepare.freeze import frozen_check, keras_export, load, source
from tfcarve.prepare.freeze import run as freezing
from tfcarve.prepare.freeze.frozen import frozen
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph import graph_file
from tfcarve.releases import known


def frozen_here(path: Path, folder: Path, **options: Any) -> bytes:
    """The output of `tfcarve freeze` for the model at `path`, without a child process."""
    return frozen_with_notes(path, folder, **options)[0]


def frozen_with_notes(path: Path, folder: Path, **options: Any) -> tuple[bytes, str]:
    """The same, and the lines for the user."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = source.request(path, known.release(), Options(**options))
    same = freezing.already_frozen(wanted, known.release(), folder)
    if same:
        return same.path.read_bytes(), ""
    if wanted.kind == "keras":
        keras_export.export(wanted, folder / load.EXPORTED)
    tensorflow = in_tests.evaluator(wanted.options.op_libraries)
    done = frozen(
        load.source(wanted, folder, tensorflow),
        wanted,
        tensorflow,
        newer_data.load(known.release()),
    )
    data = graph_file.to_bytes(done.graph)
    (folder / "model.pb").write_bytes(data)
    why = frozen_check.problem(read.read(folder / "model.pb"), {port.name for port in done.inputs})
    if why:
        raise InvalidInput(why)
    return data, "\n".join(done.notes)


def graph_of(data: bytes) -> Any:
    """The GraphDef in `data`."""
    return tf.compat.v1.GraphDef.FromString(data)


def ops_of(data: bytes) -> set[str]:
    """The ops of a graph and its functions."""
    graph = graph_of(data)
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    return {node.op for node in nodes}


def run(data: bytes, feeds: Mapping[str, Any], outputs: Iterable[str]) -> dict[str, Any]:
    """The outputs of a frozen graph in full TensorFlow."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_of(data), name="")
        with tf.compat.v1.Session(graph=graph) as session:
            found: dict[str, Any] = session.run(
                {name: f"{name}:0" for name in outputs},
                {f"{name}:0": array for name, array in feeds.items()},
            )
            return found


def outputs_of(data: bytes, created: Source) -> dict[str, Any]:
    """The outputs of a frozen graph for its source's inputs."""
    return run(data, created.feeds, created.expected)
