"""Attributes that are newer than the TensorFlow of the index."""

from collections.abc import Iterable

from tfcarve.models.node_use import Model, NodeUse
from tfcarve.newer import check
from tfcarve.registry.index import OpDefinition
from tfcarve.selection.lookup import Lookup
from tfcarve.selection.partial import PartialSelection
from tfcarve.selection.refused_attributes import Refusal, Refused

# The formats that a library loads directly, and that `tfcarve freeze` can change.
_GRAPHS = ("graphdef", "graphdef-text")


def refusal(
    use: NodeUse, op: OpDefinition, lookup: Lookup, partial: PartialSelection
) -> Refusal | None:
    """Returns why an attribute of a node is refused, or None. Adds new attributes that change nothing to `partial.ignored`."""
    for row, value in check.new_attributes(use, op.attrs, lookup.newer):
        if not lookup.newer.is_droppable(row, value):
            why = check.attribute_fault(row.first, lookup.version)
            names = frozenset((use.op,))
            return (
                use.op,
                check.shown(value),
                Refused(names, row.attribute, why, check.attribute_fix(row)),
            )
        partial.ignored.setdefault(use.model, set()).add(f"{row.attribute} of {row.op}")
    return None


def notes(models: Iterable[Model], lookup: Lookup, partial: PartialSelection) -> tuple[str, ...]:
    """Returns a note for each graph that has ignored attributes."""
    return tuple(
        f"{model.path}: TensorFlow {lookup.version} does not have {', '.join(sorted(partial.ignored[model.path]))}: the library "
        f"ignores them, and logs an error when it loads the graph: tfcarve freeze {model.path} -o OUT removes them"
        for model in models
        if model.format in _GRAPHS and model.path in partial.ignored
    )
