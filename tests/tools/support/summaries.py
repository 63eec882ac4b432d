"""Summaries of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfcarve.models.model_functions import ModelFunction
from tfcarve.models.signature_def import Signature
from tfcarve.models.summary import Summary, Tensor
from tfcarve.models.values import NO_VALUES


def of(
    inputs: Sequence[Tensor] = (),
    outputs: Sequence[Tensor] = (),
    kind: str = "graphdef",
    variables: Sequence[Tensor] = (),
    signatures: Mapping[str, Signature] | None = None,
    functions: Sequence[ModelFunction] = (),
) -> Summary:
    """Returns the summary of a model of one node."""
    return Summary(
        format=kind,
        remark="",
        signatures=signatures or {},
        model_functions=tuple(functions),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        other_outputs={},
        variables=tuple(variables),
        constant_values=NO_VALUES,
        variable_values=NO_VALUES,
        parameters=0,
        nodes=1,
        functions=0,
        control_edges=0,
        ops={},
        devices={},
        missing_inputs=(),
        unlisted={},
    )
