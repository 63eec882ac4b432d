"""Lists of transforms with a name."""

from collections.abc import Mapping
from types import MappingProxyType

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import nearest
from tfcarve.prepare.transform_list import Step, parse

# What any float model should get: what only training needs out, constants and batch normalisations folded.
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
# What --fuse adds to a list. The last for depthwise convolutions, whose padding only the fused op can hold.
FUSE = (Step("fuse_lstm", {}), Step("fuse_ops", {}), Step("fold_pads", {}))


def preset(name: str) -> list[Step]:
    """Returns the transforms of a preset; raises InvalidInput, with those there are, where there is none of that name."""
    if name not in _PRESETS:
        raise InvalidInput(
            f"preset {name!r} is unknown{nearest(name, NAMES) or '.'} It is one of: {', '.join(NAMES)}"
        )
    return parse(_PRESETS[name])
