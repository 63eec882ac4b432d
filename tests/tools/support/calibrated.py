"""Ranges of graphs drawn with TensorFlow, as `tfcarve calibrate` measures them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
import prepared
from prepared import Array

from tfcarve.prepare.calibrate.calibration import Choice, calibrate
from tfcarve.prepare.calibrate.session import FullSession
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.digest import digest
from tfcarve.prepare.graph.graph import Graph


def written(
    folder: Path,
    graph: Graph,
    samples: Array,
    evaluator: Evaluator,
    outputs: Sequence[str] = ("y",),
    method: Literal["minmax", "percentile", "entropy"] = "minmax",
    means: bool = True,
) -> Path:
    """Measures a graph on samples of its input x and writes FOLDER/ranges.json; without `means`, biases are not corrected."""
    path = folder / "ranges.json"
    context = Context(("x",), tuple(outputs), Parameters("calibrate"), evaluator)
    sha256 = digest(graph)
    data = [("x.npz", {"x": samples})]
    choice = Choice(method, 99.99)
    found = calibrate(
        prepared.copy(graph), context, lambda placed: FullSession(placed, 0), data, choice, sha256
    )
    found = found if means else msgspec.structs.replace(found, means=())
    path.write_bytes(found.to_json())
    return path
