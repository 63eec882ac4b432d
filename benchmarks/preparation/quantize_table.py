"""The tables of benchmarks.preparation.quantize."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import measure

# The goals: the loss of the classifier's accuracy, agreement of the best class, bytes and nodes, and for models with initial
# scores the difference of a probability.
LOSS = 0.005
AGREEMENT = 0.99
DIFFERENCE = 1e-3
BYTES = {"inception_v3": 24_300_000, "resnet_50": 26_000_000}
NODES = {"inception_v3": 2_366}
SOURCE = "frozen graph"
# How names of trained models begin. Their probabilities are not spread over a thousand classes.
TRAINED = "nsfwjs "
# How names of models with the scores of initial weights end.
INITIAL = ", initial scores"


@dataclass(frozen=True)
class Quantized:
    """A model in one form.

    Attributes:
      model: its name.
      how: the preset and the method of its ranges, or SOURCE.
      nodes: the number of nodes.
      bytes: the size of the file.
      agreement: the share of samples with the source's best class.
      difference: the largest difference of a probability.
      accuracy: the share of samples with the right class; None for a model that is not trained.
    """

    model: str
    how: str
    nodes: int
    bytes: int
    agreement: float
    difference: float
    accuracy: float | None = None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f} %"


def models(rows: Sequence[Quantized]) -> str:
    """Returns the table, as Markdown."""
    head = (
        "Model",
        "Made by",
        "Nodes",
        "Bytes",
        "Same best class",
        "Largest difference",
        "Accuracy",
    )
    cells = [
        (
            *(r.model, r.how, f"{r.nodes:,}", f"{r.bytes:,}"),
            *(_percent(r.agreement), f"{r.difference:.1e}", _percent(r.accuracy)),
        )
        for r in rows
    ]
    return measure.markdown(head, cells)


def missed(rows: Sequence[Quantized]) -> list[str]:
    """Returns a line for each goal that a quantized model misses.

    The goals: the classifier loses at most LOSS of its accuracy; for others at least AGREEMENT of the samples keep their
    best class, and there are at most BYTES and NODES; with initial scores, probabilities differ by at most DIFFERENCE.
    """
    sources = {row.model: row for row in rows if row.how == SOURCE}
    found = []
    for row in (row for row in rows if row.how != SOURCE):
        named = f"{row.model}, {row.how}"
        before = sources[row.model].accuracy
        if before is not None and row.accuracy is not None:
            if row.accuracy < before - LOSS:
                found.append(f"{named}: loses {100 * (before - row.accuracy):.2f} points")
            continue
        if row.agreement < AGREEMENT:
            found.append(f"{named}: {_percent(row.agreement)} have the same best class")
        if row.model.endswith(INITIAL) and not row.difference <= DIFFERENCE:  # NaN is not
            found.append(f"{named}: differs by {row.difference:.1e}")
        if "weights16" not in row.how and row.bytes > BYTES.get(row.model, row.bytes):
            found.append(f"{named}: {row.bytes:,} bytes, the goal is {BYTES[row.model]:,}")
        if row.nodes > NODES.get(row.model, row.nodes):
            found.append(f"{named}: {row.nodes:,} nodes, the goal is {NODES[row.model]:,}")
    return found
