"""The report of `tfcarve compare`."""

import math
from collections.abc import Iterator
from typing import Any

from tfcarve.errors import Problem
from tfcarve.prepare.compare.comparison import Comparison
from tfcarve.prepare.compare.first_difference import FirstDifference
from tfcarve.prepare.compare.measure import Difference

COLUMNS = ("output", "largest", "mean", "cosine", "top-1", "top-5", "result")


def _number(value: float) -> float | None:
    """Returns a number for JSON: None for one that is not finite."""
    return value if math.isfinite(value) else None


def _difference(found: Difference) -> dict[str, Any]:
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


def _first(found: FirstDifference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "node": found.node,
        "ops": list(found.ops),
        "inputs": [list(names) for names in found.inputs],
        "constants": list(found.constants),
        **_difference(found.difference),
    }


def to_json(found: Comparison) -> dict[str, Any]:
    """Returns the report as a JSON document: numbers that are not finite are null."""
    over = found.over()
    return {
        "version": 1,
        "samples": found.samples,
        "tolerance": found.tolerance,
        "outputs": [
            {"name": source.text(), "within": source not in over, **_difference(difference)}
            for source, difference in found.outputs.items()
        ],
        "first_difference": _first(found.first),
        "not_compared": list(found.not_compared),
    }


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
    first = found.first
    if first is None:
        return [*listed, Problem("no node before it can be compared")]
    where = f"first node that differs: {first.node!r} ({_before_after(first.ops)}): {_difference_text(first.difference)}"
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
