"""Removes an op, a kernel class, a data type or a model from a selection."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from tfcarve.errors import InvalidInput
from tfcarve.selection.need import Need
from tfcarve.selection.selection import SelectedKernel, SelectedOp, Selection

KINDS = ("op", "class", "dtype", "model")


@dataclass(frozen=True, slots=True)
class Target:
    """What to remove: a kind of KINDS, and a name."""

    kind: str
    name: str

    def text(self) -> str:
        """Returns it as on the command line."""
        return f"{self.kind}:{self.name}"


def parse_target(text: str) -> Target:
    """Reads `op:Relu`, `class:ReluOp<CPUDevice, float>`, `dtype:int64` or `model:b.pb`."""
    kind, _, name = text.partition(":")
    if kind not in KINDS or not name:
        raise InvalidInput(f"{text!r}: expected one of {', '.join(k + ':NAME' for k in KINDS)}")
    return Target(kind, name)


def without(selection: Selection, target: Target) -> Selection:
    """Returns `selection` without the target.

    With a model go the ops and kernels that no other model needs; runtime-added ops stay.

    Raises:
      InvalidInput: the target is not in the selection; the message has similar names.
    """
    _require_known(selection, target)
    if target.kind == "model":
        return _without_model(selection, target.name)
    drop: Callable[[SelectedKernel], bool] = {
        "op": lambda k: k.op == target.name,
        "class": lambda k: _squeezed(k.clazz) == _squeezed(target.name),
        "dtype": lambda k: any(target.name in types for types in k.constraints.values()),
    }[target.kind]
    ops = selection.ops
    if target.kind == "op":
        ops = tuple(op for op in ops if op.name != target.name)
    return _of(selection, ops, tuple(k for k in selection.kernels if not drop(k)))


def _without_model(selection: Selection, model: str) -> Selection:
    def rest(needs: tuple[Need, ...]) -> tuple[Need, ...]:
        return tuple(need for need in needs if need.model != model)

    return _of(
        replace(selection, models=tuple(m for m in selection.models if m.path != model)),
        tuple(
            replace(o, needed_by=rest(o.needed_by))
            for o in selection.ops
            if rest(o.needed_by) or not o.needed_by
        ),
        tuple(
            replace(k, needed_by=rest(k.needed_by))
            for k in selection.kernels
            if rest(k.needed_by) or not k.needed_by
        ),
    )


def _of(
    selection: Selection, ops: tuple[SelectedOp, ...], kernels: tuple[SelectedKernel, ...]
) -> Selection:
    """The selection with fewer ops and kernels, and without the sources that lose all of theirs."""
    had = {o.file for o in selection.ops} | {k.file for k in selection.kernels}
    has = {o.file for o in ops} | {k.file for k in kernels}
    remaining = tuple(file for file in selection.files if file in has or file not in had)
    return replace(selection, ops=ops, kernels=kernels, files=remaining)


def _squeezed(name: str) -> str:
    return "".join(name.split())


def names(selection: Selection) -> dict[str, set[str]]:
    """Returns the names in a selection, by kind of KINDS."""
    return {
        "op": {o.name for o in selection.ops},
        "class": {k.clazz for k in selection.kernels},
        "dtype": {t for k in selection.kernels for types in k.constraints.values() for t in types},
        "model": {m.path for m in selection.models},
    }


def _require_known(selection: Selection, target: Target) -> None:
    known = names(selection)[target.kind]
    if _squeezed(target.name) in map(_squeezed, known):
        return
    near = difflib.get_close_matches(target.name, sorted(known), n=3)
    hint = (
        f"did you mean {', '.join(near)}?"
        if near
        else f"expected one of {', '.join(sorted(known))[:400]}"
    )
    raise InvalidInput(f"{target.text()!r} is not in the selection: {hint}")
