"""Measures the ranges and channel means of the tensors that quantization needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.calibrate import measure, thresholds
from tfcarve.prepare.calibrate.histogram import Histogram
from tfcarve.prepare.calibrate.measure import Measured, Show
from tfcarve.prepare.calibrate.session import Session
from tfcarve.prepare.calibrate.wanted import Wanted, averaged, wanted
from tfcarve.prepare.compare import samples
from tfcarve.prepare.context import Context
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.graph.graph import Graph, by_name, ref, topological_order
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize.fake_quants import hoisted
from tfcarve.prepare.quantize.ranges import VERSION, ChannelMeans, Method, Ranges, TensorRange

# The arrays of a file, and its name.
Data = tuple[str, Mapping[str, Array]]


@dataclass(frozen=True)
class Choice:
    """How ranges are chosen: the method, and the percent of the values that each end of the method percentile keeps."""

    method: Method
    percent: float


def _samples(data: Data, facts: Facts, inputs: Sequence[str]) -> list[samples.Sample]:
    """Returns the samples of a file; raises InvalidInput with its name."""
    where, arrays = data
    known = {source: facts.outputs[source.node][source.output] for source in map(ref, inputs)}
    try:
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise InvalidInput(f"array {name!r} has a value that is not finite")
        return samples.from_arrays(arrays, known)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def calibrate(
    graph: Graph,
    context: Context,
    open_session: Callable[[Graph], Session],
    files: Iterable[Data],
    choice: Choice,
    sha256: str,
    show: Show = lambda *_: None,
) -> Ranges:
    """Returns the ranges and channel means of the tensors that quantization needs.

    Args:
      graph: the model, as quantize_nodes or freeze_requantization_ranges gets it.
      context: its inputs and outputs, and TensorFlow.
      open_session: returns the session that runs a graph on the samples.
      files: the samples; one file at a time is in memory.
      choice: how the ranges are chosen.
      sha256: the digest of the model's frozen graph.
      show: called with the current step, the number of steps done and their total.

    Raises:
      InvalidInput: the model has nothing to quantize; an array has another name, type or shape than the input, or a
        value that is not finite; the session can't run the model on a sample; a tensor has no values.
    """
    fed = context.input_nodes()
    placed = hoisted(graph, Facts(by_name(graph), {}, fed), context.preserved())
    facts = Facts(by_name(placed), inference.outputs(placed, context.evaluator), fed)
    order = topological_order(placed)
    listed, read_by = wanted(order, facts), averaged(order, facts)
    if not listed and not read_by:
        raise InvalidInput("there is no node that quantize_nodes replaces: nothing to calibrate")
    averages = tuple(dict.fromkeys(read_by.values()))
    found = Measured()
    count = 0
    counts = choice.method not in thresholds.OF_ENDS
    with open_session(placed) as session:
        for data in files:
            fed_values = _samples(data, facts, context.inputs)
            count += len(fed_values)
            try:
                found = measure.measure(
                    session,
                    listed,
                    averages,
                    facts.outputs,
                    fed_values,
                    found,
                    counts,
                    show,
                )
            except InvalidInput as error:
                raise InvalidInput(f"{data[0]}: {error}") from None
    return Ranges(
        version=VERSION,
        model_sha256=sha256,
        method=choice.method,
        percentile=choice.percent if choice.method == "percentile" else None,
        samples=count,
        ranges=tuple(
            _range(each, found.histograms[each.name], choice)
            for each in sorted(listed, key=lambda each: each.name)
        ),
        means=tuple(
            ChannelMeans(name, found.sums[source].means())
            for name, source in sorted(read_by.items())
            if found.sums[source].count
        ),
    )


def _range(each: Wanted, histogram: Histogram, choice: Choice) -> TensorRange:
    if histogram.is_empty:
        raise InvalidInput(f"tensor {each.name!r} is empty on all samples: add other samples")
    return TensorRange(each.name, *thresholds.chosen(histogram, choice.method, choice.percent))
