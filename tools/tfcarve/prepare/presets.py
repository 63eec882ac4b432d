"""Named lists of transforms."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.known_ranges import PARAMETER
from tfcarve.prepare.transform_list import Step, parse

# Removes what only training needs, folds constants and batch normalizations.
_FOLDED = """
    strip_unused_nodes
    remove_training_nodes
    simplify_control_dependencies
    fold_constants
    convert_layout
    remove_nodes(op=Identity, op=Snapshot)
    fold_batch_norms
    fold_old_batch_norms
"""
_SIMPLIFIED = """
    multiply_by_reciprocals
    remove_neutral_ops
    compact_constants
    merge_duplicate_nodes
    strip_unused_nodes
"""
_MOBILE = f"{_FOLDED} fold_pads {_SIMPLIFIED}"
# Quantized convolutions have no explicit padding, so Pads stay.
_UNPADDED = f"{_FOLDED} {_SIMPLIFIED}"
_QUANTIZE = "quantize_nodes"


@dataclass(frozen=True)
class _Preset:
    """A preset: the transforms for a float model, those that then change its types, and whether FUSE is before the latter."""

    first: str
    then: str = ""
    fuses_first: bool = True


_PRESETS: Mapping[str, _Preset] = MappingProxyType(
    {
        # Fused ops have no quantized equivalents.
        "int8": _Preset(
            _UNPADDED,
            f"{_QUANTIZE} compact_constants merge_duplicate_nodes quantize_weights",
            fuses_first=False,
        ),
        "mobile": _Preset(_MOBILE),
        # Constants that are converted when the model runs can't be fused.
        "weights16": _Preset(_MOBILE, "half_weights"),
        "weights8": _Preset(_MOBILE, "quantize_weights"),
    }
)
NAMES = tuple(sorted(_PRESETS))
# The transforms of --fuse. fold_pads is last: depthwise convolutions have explicit padding only as fused ops.
FUSE = (Step("fuse_lstm", {}), Step("fuse_ops", {}), Step("fold_pads", {}))


def _found(name: str) -> _Preset:
    if name not in _PRESETS:
        raise InvalidInput(
            f"preset {name!r} is unknown{nearest(name, NAMES) or '.'} The presets are: {', '.join(NAMES)}"
        )
    return _PRESETS[name]


def preset(name: str, fuses: bool = False, ranges: Path | None = None) -> list[Step]:
    """Returns the transforms of a preset.

    Args:
      name: the preset.
      fuses: whether FUSE is part of it.
      ranges: ranges.json for the preset int8.

    Raises:
      InvalidInput: the preset is unknown, which the message lists, or takes no ranges.
    """
    found = _found(name)
    then = [_with_ranges(step, ranges) for step in parse(found.then)] if found.then else []
    if ranges is not None and not any(step.name == _QUANTIZE for step in then):
        raise InvalidInput(f"preset {name!r} takes no ranges: --ranges requires --preset int8")
    fuse = FUSE if fuses else ()
    parts = (fuse, then) if found.fuses_first else (then, fuse)
    return [*parse(found.first), *parts[0], *parts[1]]


def _with_ranges(step: Step, ranges: Path | None) -> Step:
    if step.name != _QUANTIZE or ranges is None:
        return step
    return Step(step.name, {**step.parameters, PARAMETER: (str(ranges),), "depthwise": ("true",)})


def before_quantize_nodes() -> list[Step]:
    """Returns the transforms that the preset int8 applies before quantize_nodes."""
    return parse(_PRESETS["int8"].first)
