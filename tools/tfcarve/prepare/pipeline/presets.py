"""Named lists of transforms."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.pipeline.transform_list import Step, parse
from tfcarve.prepare.quantize.known_ranges import PARAMETER

# Removes nodes that only training needs, folds constants and batch normalizations.
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
    remove_dropout
    compact_constants
    merge_duplicate_nodes
    strip_unused_nodes
"""
_MOBILE = f"{_FOLDED} fold_pads {_SIMPLIFIED}"
# Quantized convolutions have no explicit padding, so Pads stay.
_UNPADDED = f"{_FOLDED} {_SIMPLIFIED}"
_QUANTIZE = "quantize_nodes"
_QUANTIZE_WEIGHTS = "quantize_weights(per_channel=true) compact_constants"


@dataclass(frozen=True)
class _Preset:
    """A preset.

    Attributes:
      first: the transforms for a float model.
      corrected: after them, if there are ranges: a transform that takes them.
      then: the transforms that change types; quantize_nodes takes ranges if there are any.
      fuses_first: whether FUSE is before `then`.
    """

    first: str
    corrected: str = ""
    then: str = ""
    fuses_first: bool = True


_PRESETS: Mapping[str, _Preset] = MappingProxyType(
    {
        # Fused ops have no quantized equivalents.
        "int8": _Preset(
            _UNPADDED,
            then=f"{_QUANTIZE}(per_channel=true) compact_constants merge_duplicate_nodes {_QUANTIZE_WEIGHTS}",
            fuses_first=False,
        ),
        "mobile": _Preset(_MOBILE),
        # Constants that are converted when the model runs can't be fused.
        "weights16": _Preset(_MOBILE, then="half_weights"),
        "weights8": _Preset(_MOBILE, corrected="correct_biases", then=_QUANTIZE_WEIGHTS),
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
      ranges: ranges.json for a preset that takes ranges.

    Raises:
      InvalidInput: the preset is unknown, or takes no ranges. The message lists the valid presets.
    """
    found = _found(name)
    then = parse(found.then) if found.then else []
    corrected: list[Step] = []
    if ranges is not None:
        if not _takes_ranges(found):
            takers = " or ".join(each for each in NAMES if _takes_ranges(_PRESETS[each]))
            raise InvalidInput(
                f"preset {name!r} takes no ranges: --ranges requires --preset {takers}"
            )
        given: dict[str, tuple[str, ...]] = {PARAMETER: (str(ranges),)}
        corrected = [Step(found.corrected, given)] if found.corrected else []
        then = [_with_ranges(step, given) for step in then]
    fuse = FUSE if fuses else ()
    parts = (fuse, then) if found.fuses_first else (then, fuse)
    return [*parse(found.first), *corrected, *parts[0], *parts[1]]


def _takes_ranges(found: _Preset) -> bool:
    return bool(found.corrected) or _QUANTIZE in found.then


def _with_ranges(step: Step, given: dict[str, tuple[str, ...]]) -> Step:
    if step.name != _QUANTIZE:
        return step
    return Step(step.name, {**step.parameters, **given, "depthwise": ("true",)})


def before_quantize_nodes() -> list[Step]:
    """Returns the transforms that the preset int8 applies before quantize_nodes."""
    return parse(_PRESETS["int8"].first)
