"""Measures the difference between two tensors."""

import math
from dataclasses import dataclass

import numpy as np

from tfcarve import dtypes
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.graph.tensors import Array


@dataclass(frozen=True)
class Difference:
    """The difference between two models in one output, over some samples.

    Attributes:
      elements: the number of compared elements.
      error: the number that is compared with a tolerance: the largest quotient of the absolute difference and 1 + the
        first model's absolute value; infinite if values of another type than floating-point differ.
      largest: the largest absolute difference; 1 for bools and strings that differ.
      total: the sum of all absolute differences.
      cosine: the smallest cosine similarity over all samples; None if it is undefined.
      rows: the number of rows of class scores; 0 if the output does not look like class scores.
      first_hits: the number of rows in which both models have the same best class.
      fifth_hits: the number of rows in which the first model's best class is among the second model's best five.
      classes: the number of classes in a row.
      problem: why the outputs can't be compared: their types or shapes; empty if they can.
    """

    elements: int = 0
    error: float = 0.0
    largest: float = 0.0
    total: float = 0.0
    cosine: float | None = None
    rows: int = 0
    first_hits: int = 0
    fifth_hits: int = 0
    classes: int = 0
    problem: str = ""

    @property
    def mean(self) -> float:
        """The mean absolute difference."""
        return self.total / self.elements if self.elements else 0.0

    @property
    def top1(self) -> float | None:
        """The share of rows in which both models have the same best class; None if there are no classes."""
        return self.first_hits / self.rows if self.rows else None

    @property
    def top5(self) -> float | None:
        """The share of rows whose best class is among the second model's best five; None for at most five classes."""
        return self.fifth_hits / self.rows if self.rows and self.classes > 5 else None

    def with_sample(self, other: "Difference") -> "Difference":
        """Returns the difference over the samples of both."""
        cosines = [d.cosine for d in (self, other) if d.cosine is not None]
        return Difference(
            self.elements + other.elements,
            max(self.error, other.error),
            max(self.largest, other.largest),
            self.total + other.total,
            min(cosines, default=None),
            self.rows + other.rows,
            self.first_hits + other.first_hits,
            self.fifth_hits + other.fifth_hits,
            max(self.classes, other.classes),
            self.problem or other.problem,
        )


def _described(tensor: TensorProto, shape: tuple[int, ...]) -> str:
    return f"{dtypes.from_number(tensor.dtype)} {list(shape)}"


def measure(a: TensorProto, b: TensorProto, where: str) -> Difference:
    """Returns the difference between two tensors; `where` is the node's name, for messages."""
    shapes = tensors.shape(a, where), tensors.shape(b, where)
    if a.dtype != b.dtype or shapes[0] != shapes[1]:
        problem = f"{_described(a, shapes[0])} and {_described(b, shapes[1])}"
        return Difference(error=math.inf, largest=math.inf, problem=problem)
    return measure_arrays(tensors.to_array(a, where), tensors.to_array(b, where))


def measure_arrays(a: Array, b: Array) -> Difference:
    """Returns the difference between two arrays of equal type and shape."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    if a.dtype.kind in "fc":
        return _floats(a, b)
    if a.dtype.kind in "iu":
        gaps = np.abs(a.astype(np.float64) - b.astype(np.float64))
        gaps[(a != b) & (gaps == 0)] = 1  # integers that are equal as float64
    else:
        gaps = (a != b).astype(np.float64)
    largest = float(gaps.max(initial=0))
    return Difference(a.size, math.inf if largest else 0.0, largest, float(gaps.sum()))


def _floats(a: Array, b: Array) -> Difference:
    dtype = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(dtype), b.astype(dtype)
    with np.errstate(invalid="ignore"):
        gaps = np.abs(x - y)
    gaps[(x == y) | (np.isnan(x) & np.isnan(y))] = 0
    gaps[np.isnan(gaps)] = np.inf
    scale = 1 + np.abs(x)
    scale[~np.isfinite(scale)] = 1
    finite = bool(np.isfinite(x).all() and np.isfinite(y).all())
    rows, first, fifth, classes = _classes(x, y) if finite and a.dtype.kind == "f" else (0,) * 4
    return Difference(
        a.size,
        float((gaps / scale).max(initial=0)),
        float(gaps.max(initial=0)),
        float(gaps.sum()),
        _cosine(x, y) if finite and a.size else None,
        rows,
        first,
        fifth,
        classes,
    )


def _cosine(x: Array, y: Array) -> float:
    sizes = float(np.abs(x).max()), float(np.abs(y).max())
    if not all(sizes):
        return 1.0 if sizes[0] == sizes[1] else 0.0
    x, y = x / sizes[0], y / sizes[1]  # squares of large numbers would be infinite
    norms = float(np.linalg.norm(x)) * float(np.linalg.norm(y))
    return max(-1.0, min(1.0, float(np.vdot(x, y).real) / norms))


def _classes(x: Array, y: Array) -> tuple[int, int, int, int]:
    """Returns the numbers of rows, of top-1 and of top-5 hits, and of classes."""
    if x.ndim not in (1, 2) or x.size == 0 or x.shape[-1] < 2:
        return 0, 0, 0, 0
    x, y = x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1])
    best = y[np.arange(len(x)), x.argmax(axis=1)]
    better = (y > best[:, None]).sum(axis=1)
    return len(x), int((better < 1).sum()), int((better < 5).sum()), x.shape[1]
