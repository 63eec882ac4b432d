"""Measures the values of tensors on samples."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.calibrate.channel_sums import ChannelSums
from tfcarve.prepare.calibrate.histogram import Histogram
from tfcarve.prepare.calibrate.session import Session
from tfcarve.prepare.calibrate.wanted import Wanted
from tfcarve.prepare.compare.samples import Sample
from tfcarve.prepare.evaluate.chunks import chunks
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.evaluate.inference import Outputs, output_of
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.graph.tensors import Array

Show = Callable[[str, int, int], None]
# The largest positive qint32.
_MAX_QINT32 = (1 << 31) - 1


@dataclass(frozen=True)
class Measured:
    """The measured values.

    Attributes:
      histograms: of the tensors, by the name of Wanted.
      sums: of the channels of tensors.
    """

    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    sums: Mapping[Ref, ChannelSums] = field(default_factory=dict)


def _floats(values: Sequence[TensorProto], where: str) -> Array:
    """Returns the values of a float tensor, or of a qint32 tensor, which its low and high end follow."""
    array = tensors.to_array(values[0], where)
    if len(values) == 1:
        return array
    low, high = (float(tensors.to_array(end, where).reshape(-1)[0]) for end in values[1:])
    return array.astype(np.float64) * (max(-low, high) / _MAX_QINT32)


def _batch(sample: Sample, outputs: Outputs) -> int:
    """Returns the size of a sample, divided by the size of a sample whose unknown dimensions are 1."""
    sizes = [1]
    for source, value in sample.items():
        output = output_of(source, outputs)
        known = [max(dim, 1) for dim in output.shape or ()] if output is not None else []
        sizes.append(math.prod(tensors.shape(value, source.node)) // math.prod(known))
    return max(sizes)


def _groups(
    listed: Sequence[Wanted], averaged: Collection[Ref], outputs: Outputs, batch: int
) -> Iterator[tuple[list[Wanted], list[Ref]]]:
    """Yields the tensors whose ranges and whose means are wanted, in groups that are fetched together."""
    by_first: dict[Ref, list[Wanted]] = {source: [] for source in averaged}
    for each in listed:
        by_first.setdefault(each.read[0], []).append(each)
    for chunk in chunks(list(by_first), outputs, batch):
        group = [each for source in chunk for each in by_first[source]]
        yield group, [source for source in chunk if source in averaged]


def measure(
    session: Session,
    listed: Sequence[Wanted],
    averaged: Collection[Ref],
    outputs: Outputs,
    samples: Sequence[Sample],
    before: Measured,
    counts: bool,
    show: Show = lambda *_: None,
) -> Measured:
    """Returns the histograms and the channel sums of tensors.

    Args:
      session: the graph.
      listed: the tensors whose histograms are measured.
      averaged: the tensors whose channel sums are measured.
      outputs: the types and shapes of the graph's nodes.
      samples: the values of the inputs.
      before: the values measured on earlier samples, to which the new ones are added.
      counts: whether values are counted, which takes longer than finding the minimum and maximum.
      show: called with the current step, the number of steps done and their total.

    Raises:
      InvalidInput: the session can't run the graph on a sample, or a value is not finite.
    """
    found = {each.name: before.histograms.get(each.name, Histogram()) for each in listed}
    sums = {source: before.sums.get(source, ChannelSums()) for source in averaged}
    add = Histogram.with_values if counts else Histogram.with_ends
    for number, sample in enumerate(samples):
        show("running the samples", number, len(samples))
        where = f"sample {number}"
        for group, means in _groups(listed, sums, outputs, _batch(sample, outputs)):
            read = dict.fromkeys((*means, *(ref for each in group for ref in each.read)))
            computed = [ref for ref in read if ref not in sample]
            try:
                values = {
                    **sample,
                    **dict(zip(computed, session.run(computed, sample), strict=True)),
                }
            except Failed as error:
                raise InvalidInput(
                    f"{where}: TensorFlow cannot run the model on it: {' '.join(str(error).split())}"
                ) from None
            for each in group:
                array = _finite([values[ref] for ref in each.read], each.name, where)
                found[each.name] = add(found[each.name], array)
            for source in means:
                array = _finite([values[source]], source.text(), where)
                sums[source] = sums[source].with_values(array)
    return Measured(found, sums)


def _finite(values: Sequence[TensorProto], name: str, where: str) -> Array:
    """Returns the values of a tensor, like `_floats`; raises InvalidInput if a value is not finite."""
    array = _floats(values, name)
    if not np.isfinite(array).all():
        raise InvalidInput(
            f"{where}: tensor {name!r} has a value that is not finite: it has no range"
        )
    return array
