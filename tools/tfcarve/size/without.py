"""A selection without an op, a kernel class, a data type or a model."""

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
    """What to leave out: a kind of KINDS and its name."""

    kind: str
    name: str

    def text(self) -> str:
        """Returns it as the command line has it."""
        return f"{self.kind}:{self.name}"


def target(text: str) -> Target:
    """Reads `op:Relu`, `class:ReluOp<CPUDevice, float>`, `dtype:int64` or `model:b.pb`."""
    kind, _, name = text.partition(":")
    if kind not in KINDS or not name:
        raise InvalidInput(f"{text!r}: one of {', '.join(k + ':NAME' for k in KINDS)} was expected")
    return Target(kind, name)


def without(selection: Selection, left_out: Target) -> Selection:
    """Returns `selection` without what only `left_out` needs.

    A model takes with it what no other model needs; what the runtime adds by itself stays.

    Raises:
      InvalidInput: it is not in the selection; names what is near.
    """
    _require_known(selection, left_out)
    if left_out.kind == "model":
        return _without_model(selection, left_out.name)
    drop: Callable[[SelectedKernel], bool] = {
        "op": lambda k: k.op == left_out.name,
        "class": lambda k: _squeezed(k.clazz) == _squeezed(left_out.name),
        "dtype": lambda k: any(left_out.name in types for types in k.constraints.values()),
    }[left_out.kind]
    ops = selection.ops
    if left_out.kind == "op":
        ops = tuple(op for op in ops if op.name != left_out.name)
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
    """The selection with fewer ops and kernels; a source that loses all that it had goes as well."""
    had = {o.file for o in selection.ops} | {k.file for k in selection.kernels}
    has = {o.file for o in ops} | {k.file for k in kernels}
    stay = tuple(file for file in selection.files if file in has or file not in had)
    return replace(selection, ops=ops, kernels=kernels, files=stay)


def _squeezed(name: str) -> str:
    return "".join(name.split())


def _require_known(selection: Selection, left_out: Target) -> None:
    known = {
        "op": {o.name for o in selection.ops},
        "class": {k.clazz for k in selection.kernels},
        "dtype": {t for k in selection.kernels for types in k.constraints.values() for t in types},
        "model": {m.path for m in selection.models},
    }[left_out.kind]
    if _squeezed(left_out.name) in map(_squeezed, known):
        return
    near = difflib.get_close_matches(left_out.name, sorted(known), n=3)
    hint = (
        f"did you mean {', '.join(near)}?"
        if near
        else f"there are: {', '.join(sorted(known))[:400]}"
    )
    raise InvalidInput(f"{left_out.text()!r} is not in the selection: {hint}")
