"""Selections for tests of emitters."""

from collections.abc import Sequence

from tfcarve.registry.index import TensorflowFacts
from tfcarve.selection.selection import SelectedKernel, SelectedOp, Selection


def selection(
    kernels: Sequence[tuple[str, str, str]] = (),
    ops: Sequence[tuple[str, str]] = (),
    system: Sequence[tuple[str, str, str]] = (),
    helpers: Sequence[str] = (),
    defines: Sequence[str] = (),
) -> Selection:
    """Returns a selection of kernels (op, class, file) and ops (name, file); the first of the files needs the helpers."""
    selected_kernels = [
        SelectedKernel(
            op=op, clazz=clazz, file=file, constraints={}, system=is_system, needed_by=()
        )
        for is_system, rows in ((False, kernels), (True, system))
        for op, clazz, file in rows
    ]
    selected = [SelectedOp(name=name, file=file, needed_by=()) for name, file in ops]
    files = sorted({k.file for k in selected_kernels} | {o.file for o in selected})
    facts = TensorflowFacts("9.8.7", "ab", tuple(defines))
    return Selection(
        facts,
        (),
        tuple(selected),
        tuple(selected_kernels),
        tuple(files),
        tuple(helpers),
        {files[0] if files else "k/any.cc": tuple(helpers)} if helpers else {},
    )
