"""The report of `tfcarve compare`."""

import math
from collections.abc import Iterator
from typing import Any

from tfcarve.errors import Problem
from tfcarve.json_codec import JsonDocument
from tfcarve.prepare.compare.comparison import Comparison
from tfcarve.prepare.compare.first_difference import FirstDifference
from tfcarve.prepare.compare.measure import Difference

COLUMNS = ("output", "largest", "mean", "cosine", "top-1", "top-5", "result")


def _number(value: float) -> float | None:
    """Returns a number for JSON: None for one that is not finite."""
    return value if math.isfinite(value) else None


class OutputReport(JsonDocument, frozen=True):
    """The difference in one output; numbers that are not finite are null. See measure.Difference."""

    name: str
    within: bool
    elements: int
    error: float | None
    largest: float | None
    mean: float | None
    cosine: float | None
    top1: float | None
    top5: float | None
    problem: str


class FirstDifferenceReport(JsonDocument, frozen=True):
    """The first node that differs. See first_difference.FirstDifference."""

    node: str
    ops: tuple[str, str]
    inputs: tuple[tuple[str, ...], tuple[str, ...]]
    constants: tuple[str, ...]
    elements: int
    error: float | None
    largest: float | None
    mean: float | None
    cosine: float | None
    top1: float | None
    top5: float | None
    problem: str


class CompareReport(JsonDocument, frozen=True):
    """The report of `tfcarve compare --json`.

    Attributes:
      version: 1.
      samples: the number of samples that were run.
      tolerance: the largest error that is accepted.
      outputs: the difference of each output.
      first_difference: the first node that differs; null if all outputs are within the tolerance, or no node can be
        compared.
      not_compared: outputs that only one model has.
      frozen_differs: models, not frozen, that differ from their frozen graph.
    """

    version: int
    samples: int
    tolerance: float
    outputs: tuple[OutputReport, ...]
    first_difference: FirstDifferenceReport | None
    not_compared: tuple[str, ...]
    frozen_differs: tuple[str, ...]


def _figures(found: Difference) -> dict[str, Any]:
    return {
        "elements": found.elements,
        "error": _number(found.error),
        "largest": _number(found.largest),
        "mean": _number(found.mean),
        "cosine": found.cosine,
        "top1": found.top1,
        "top5": found.top5,
        "problem": found.problem,
    }


def _first(found: FirstDifference | None) -> FirstDifferenceReport | None:
    if found is None:
        return None
    return FirstDifferenceReport(
        node=found.node,
        ops=found.ops,
        inputs=found.inputs,
        constants=found.constants,
        **_figures(found.difference),
    )


def document(found: Comparison) -> CompareReport:
    """Returns the report as a JSON document."""
    over = found.over()
    return CompareReport(
        version=1,
        samples=found.samples,
        tolerance=found.tolerance,
        outputs=tuple(
            OutputReport(name=source.text(), within=source not in over, **_figures(difference))
            for source, difference in found.outputs.items()
        ),
        first_difference=_first(found.first),
        not_compared=found.not_compared,
        frozen_differs=found.frozen_differs,
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def rows(found: Comparison) -> Iterator[dict[str, str]]:
    """Yields a row of COLUMNS for each output."""
    over = found.over()
    for source, difference in found.outputs.items():
        result = "over" if source in over else "within"
        yield {
            "output": source.text(),
            "largest": f"{difference.largest:.3g}",
            "mean": f"{difference.mean:.3g}",
            "cosine": "" if difference.cosine is None else f"{difference.cosine:.7f}",
            "top-1": _share(difference.top1),
            "top-5": _share(difference.top5),
            "result": difference.problem or f"{result} {found.tolerance:g}",
        }


def _difference_text(found: Difference) -> str:
    return found.problem or f"differs by {found.largest:.3g}"


def problems(found: Comparison) -> list[Problem]:
    """Returns the outputs that exceed the tolerance, and the first node that differs."""
    listed = [
        Problem(f"output {source.text()!r} {_difference_text(found.outputs[source])}")
        for source in found.over()
    ]
    listed += [
        Problem(f"{name}: the graph that `tfcarve freeze` writes differs from the model")
        for name in found.frozen_differs
    ]
    first = found.first
    if first is None:
        return [*listed, Problem("no node before it can be compared")]
    difference = _difference_text(first.difference)
    where = f"first node that differs: {first.node!r} ({_before_after(first.ops)}): {difference}"
    return [*listed, Problem(where, (), _hint(first))]


def _before_after(pair: tuple[str, str]) -> str:
    return pair[0] if pair[0] == pair[1] else " now ".join(pair)


def _hint(first: FirstDifference) -> str:
    """Returns how the node's inputs and constants differ, or an empty string."""
    details = []
    if first.inputs[0] != first.inputs[1]:
        before, after = (", ".join(names) for names in first.inputs)
        details.append(f"its inputs: {_before_after((before, after))}")
    if first.constants:
        names = ", ".join(repr(name) for name in first.constants)
        details.append(f"its constants have other values: {names}")
    return "; ".join(details)
