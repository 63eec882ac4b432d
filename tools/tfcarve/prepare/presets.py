"""Named lists of transforms."""

from collections.abc import Mapping
from types import MappingProxyType

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.transform_list import Step, parse

# For any float model: removes what only training needs, folds constants and batch normalisations.
_MOBILE = """
    strip_unused_nodes
    remove_training_nodes
    simplify_control_dependencies
    fold_constants
    convert_layout
    remove_nodes(op=Identity, op=Snapshot)
    fold_batch_norms
    fold_old_batch_norms
    fold_pads
    multiply_by_reciprocals
    remove_neutral_ops
    compact_constants
    merge_duplicate_nodes
    strip_unused_nodes
"""
_PRESETS: Mapping[str, str] = MappingProxyType({"mobile": _MOBILE})
NAMES = tuple(sorted(_PRESETS))
# The transforms of --fuse. fold_pads is last: depthwise convolutions have explicit padding only as fused ops.
FUSE = (Step("fuse_lstm", {}), Step("fuse_ops", {}), Step("fold_pads", {}))


def preset(name: str) -> list[Step]:
    """Returns the transforms of a preset; raises InvalidInput, with the available ones, if it is unknown."""
    if name not in _PRESETS:
        raise InvalidInput(
            f"preset {name!r} is unknown{nearest(name, NAMES) or '.'} The presets are: {', '.join(NAMES)}"
        )
    return parse(_PRESETS[name])
