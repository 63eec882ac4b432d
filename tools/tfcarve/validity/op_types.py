"""The output types of nodes, by the definitions of their ops in a release."""

from collections.abc import Mapping

from tfcarve.models.node_use import Function, Model, NodeUse
from tfcarve.releases import output_types
from tfcarve.releases.release import Release
from tfcarve.validity.known_ops import Definitions
from tfcarve.validity.signatures import Tensors, Undecided, outputs


class OpTypes:
    """The output types of a model's nodes."""

    def __init__(self, definitions: Definitions, functions: Mapping[str, Function]) -> None:
        """`definitions` returns the definition of an op; nodes call `functions` like ops."""
        self._definitions = definitions
        self._functions = functions

    def _outputs(self, use: NodeUse) -> tuple[Tensors, ...] | None:
        definition = self._functions.get(use.op) or self._definitions(use.op)
        if definition is None:
            return None
        try:
            return outputs(definition, use.attrs)
        except Undecided:
            return None

    def dtype(self, use: NodeUse) -> str:
        """Returns the type of a node's first output; "" if the type is unknown or the node has no output."""
        for tensors in self._outputs(use) or ():
            if len(tensors):
                return (tensors.type(0) or "").removesuffix("_ref")
        return ""

    def returns_values(self, use: NodeUse) -> bool:
        """Returns whether a node has an output that is not a reference; true for unknown ops."""
        found = self._outputs(use)
        return found is None or any(
            not (name or "").endswith("_ref") for tensors in found for name in tensors.types
        )


def of_model(model: Model, release: Release) -> OpTypes:
    """Returns the types of a model's nodes. The types of ops that `release` does not have are unknown."""
    return OpTypes(output_types.by_op(release).get, model.functions)
