"""Compares the outputs of two models on each sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.prepare.compare import ranges, samples
from tfcarve.prepare.compare.advice import advice
from tfcarve.prepare.compare.first_difference import FirstDifference, Show, first_difference
from tfcarve.prepare.compare.measure import Difference, measure
from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import endpoints
from tfcarve.prepare.graph.graph import Ref, ref
from tfcarve.prepare.graph.tensors import Array

RANDOM_SAMPLES = 3


@dataclass(frozen=True)
class Comparison:
    """The differences between two models.

    Attributes:
      samples: the number of samples that were run.
      tolerance: the largest Difference.error that is accepted.
      outputs: the difference of each output.
      first: the first node that differs; None if all outputs are within the tolerance, or no node can be compared.
      not_compared: outputs that only one model has.
      frozen_differs: the models whose frozen graph differs from the model itself.
    """

    samples: int
    tolerance: float
    outputs: Mapping[Ref, Difference]
    first: FirstDifference | None
    not_compared: tuple[str, ...] = ()
    frozen_differs: tuple[str, ...] = ()

    def over(self) -> list[Ref]:
        """Returns the outputs that exceed the tolerance."""
        return [source for source, found in self.outputs.items() if found.error > self.tolerance]


def input_refs(a: Side, b: Side, named: Sequence[str]) -> list[Ref]:
    """Returns the tensors to feed: the inputs `named`, or by default the first model's Placeholders.

    Raises InvalidInput if one does not exist, or the second model has a Placeholder that the first does not have.
    """
    listed = list(dict.fromkeys(ref(name) for name in named or endpoints.inputs(a.graph)))
    a.require("input", listed)
    if not named:
        more = [name for name in endpoints.inputs(b.graph) if Ref(name) not in listed]
        if more:
            raise InvalidInput(
                f"{b.name}: input {more[0]!r} is not a Placeholder of {a.name}: pass the inputs of both with --inputs"
            )
    return listed


def output_refs(a: Side, b: Side, named: Sequence[str]) -> tuple[list[Ref], tuple[str, ...]]:
    """Returns the outputs to compare, and the outputs that only one model has.

    The outputs to compare are `named`, or by default the outputs that both models have. The outputs of a model are the
    ones that it declares, or the tensors that no node reads. If only the first model declares outputs, any tensor of the second is compared.

    Raises InvalidInput if an output does not exist, or the models have none in common.
    """
    if named:
        listed = list(dict.fromkeys(ref(name) for name in named))
        a.require_declared(listed)
        b.require_declared(listed)
        a.require("output", listed)
        b.require("output", listed)
        return listed, ()
    own = [_own_outputs(side) for side in (a, b)]
    # A declared output of the first model is not compared with an inner tensor of the second one that has its name.
    shared = [source for source in own[0] if (source in own[1] if b.declared else b.has(source))]
    if not shared:
        texts = [", ".join(source.text() for source in side) or "none" for side in own]
        raise InvalidInput(
            f"{a.name} and {b.name} have no output in common: pass --outputs; nothing reads {texts[0]} of the "
            f"first and {texts[1]} of the second"
        )
    alone = [source.text() for side in own for source in side if source not in shared]
    return shared, tuple(dict.fromkeys(alone))


def _own_outputs(side: Side) -> list[Ref]:
    if side.declared:
        return [source for source in side.declared if side.has(source)]
    fed = set(endpoints.inputs(side.graph))
    return [
        source
        for name in endpoints.outputs(side.graph)
        if name not in fed
        for source in (Ref(name, i) for i in range(len(side.outputs[name])))
        if side.has(source)
    ]


def sample_list(
    a: Side, inputs: Sequence[Ref], arrays: Mapping[str, Array] | None
) -> list[samples.Sample]:
    """Returns the samples for both models: `arrays`, or random values; raises the errors of `samples`."""
    known: dict[Ref, Output] = {source: a.outputs[source.node][source.output] for source in inputs}
    if arrays is not None:
        return samples.from_arrays(arrays, known)
    limits = {source: ranges.limit(a.graph, source, a.outputs) for source in inputs}
    return samples.random(known, limits, RANDOM_SAMPLES)


def _line(error: Failed) -> str:
    return " ".join(str(error).split())


def compare(
    a: Side,
    b: Side,
    outputs: Sequence[Ref],
    fed: Sequence[samples.Sample],
    tolerance: float,
    show: Show = lambda *_: None,
) -> Comparison:
    """Returns the difference of each output over all samples, and the first node that differs.

    Raises:
      InvalidInput: the first model fails on a sample.
      CheckFailed: the second model fails on a sample on which the first runs.
    """
    total = {source: Difference() for source in outputs}
    worst: tuple[Ref, samples.Sample] | None = None
    expected, actual = a.values(outputs, fed), b.values(outputs, fed)
    for number, sample in enumerate(fed):
        show("running both models", number, len(fed))
        try:
            before = next(expected)
        except Failed as error:
            raise InvalidInput(
                f"{a.name}: TensorFlow cannot run it on sample {number}: {_line(error)}{advice(a, error, sample.keys())}"
            ) from None
        try:
            after = next(actual)
        except Failed as error:
            raise CheckFailed(
                f"{b.name}: TensorFlow cannot run it on sample {number}, on which {a.name} runs: {_line(error)}"
                f"{advice(b, error, ())}",
                (),
            ) from None
        for source, x, y in zip(outputs, before, after, strict=True):
            found = measure(x, y, source.node)
            total[source] = total[source].with_sample(found)
            if worst is None and found.error > tolerance:
                worst = source, sample
    if worst is None:
        return Comparison(len(fed), tolerance, total, None)
    first = first_difference(a, b, *worst, tolerance, show)
    changed = tuple(
        side.name for side in (a, b) if _is_changed_by_freezing(side, *worst, tolerance)
    )
    return Comparison(len(fed), tolerance, total, first, frozen_differs=changed)


def _is_changed_by_freezing(
    side: Side, source: Ref, sample: samples.Sample, tolerance: float
) -> bool:
    """Returns whether a model's frozen graph computes another value of `source` than the model itself."""
    if side.original is None:
        return False
    try:
        (frozen,), ((original,),) = side.run([source], sample), side.values([source], [sample])
    except Failed:
        return True
    return measure(original, frozen, source.node).error > tolerance
