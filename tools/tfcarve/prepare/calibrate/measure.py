"""Measures the values of tensors on samples."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare import tensors
from tfcarve.prepare.calibrate.histogram import Histogram
from tfcarve.prepare.calibrate.session import Session
from tfcarve.prepare.calibrate.wanted import Wanted
from tfcarve.prepare.chunks import chunks
from tfcarve.prepare.compare.samples import Sample
from tfcarve.prepare.evaluate import Failed
from tfcarve.prepare.graph import Ref
from tfcarve.prepare.inference import Outputs, output_of
from tfcarve.prepare.messages import TensorProto
from tfcarve.prepare.tensors import Array

Show = Callable[[str, int, int], None]
# The largest positive qint32.
_MAX_QINT32 = (1 << 31) - 1


def _floats(values: Sequence[TensorProto], where: str) -> Array:
    """Returns the values of a float tensor, or of a qint32 tensor, which its low and high end follow."""
    array = tensors.to_array(values[0], where)
    if len(values) == 1:
        return array
    low, high = (float(tensors.to_array(end, where).reshape(-1)[0]) for end in values[1:])
    return array.astype(np.float64) * (max(-low, high) / _MAX_QINT32)


def _batch(sample: Sample, outputs: Outputs) -> int:
    """Returns how many times as large as one with unknown dimensions of 1 a sample is."""
    sizes = [1]
    for source, value in sample.items():
        output = output_of(source, outputs)
        known = [max(dim, 1) for dim in output.shape or ()] if output is not None else []
        sizes.append(math.prod(tensors.shape(value, source.node)) // math.prod(known))
    return max(sizes)


def _groups(listed: Sequence[Wanted], outputs: Outputs, batch: int) -> Iterator[list[Wanted]]:
    """Yields the tensors in groups that are fetched together."""
    by_first: dict[Ref, list[Wanted]] = {}
    for each in listed:
        by_first.setdefault(each.read[0], []).append(each)
    for chunk in chunks(list(by_first), outputs, batch):
        yield [each for source in chunk for each in by_first[source]]


def measure(
    session: Session,
    listed: Sequence[Wanted],
    outputs: Outputs,
    samples: Sequence[Sample],
    before: Mapping[str, Histogram],
    counts: bool,
    show: Show = lambda *_: None,
) -> dict[str, Histogram]:
    """Returns the histogram of each tensor by name.

    Args:
      session: the graph.
      listed: the tensors.
      outputs: the types and shapes of the graph's nodes.
      samples: what is fed.
      before: the histograms of earlier samples, to which these are added.
      counts: whether values are counted, which takes longer than finding the minimum and maximum.
      show: called with the current step, the number of steps done and their total.

    Raises:
      InvalidInput: the session can't run the graph on a sample, or a value is not finite.
    """
    found = {each.name: before.get(each.name, Histogram()) for each in listed}
    for number, sample in enumerate(samples):
        show("running the samples", number, len(samples))
        for group in _groups(listed, outputs, _batch(sample, outputs)):
            read = dict.fromkeys(ref for each in group for ref in each.read)
            fetched = [ref for ref in read if ref not in sample]
            try:
                values = {**sample, **dict(zip(fetched, session.run(fetched, sample), strict=True))}
            except Failed as error:
                raise InvalidInput(
                    f"sample {number}: TensorFlow cannot run the model on it: {' '.join(str(error).split())}"
                ) from None
            for each in group:
                array = _floats([values[ref] for ref in each.read], each.name)
                if not np.isfinite(array).all():
                    raise InvalidInput(
                        f"sample {number}: tensor {each.name!r} has a value that is not finite: it has no range"
                    )
                add = Histogram.with_values if counts else Histogram.with_ends
                found[each.name] = add(found[each.name], array)
    return found
