"""The selections that a carved library is compared with: they have more in them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from tfcarve.build_files.tree import BuildTree, Label
from tfcarve.commands.common import Sources
from tfcarve.registry.index import KernelIndex
from tfcarve.selection import buildable, lookup
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import SelectedKernel, SelectedOp, Selection

# What //tensorflow/core:portable_tensorflow_lib, TensorFlow's own library for mobile apps, registers:
# tensorflow/core/kernels/BUILD and tensorflow/core/ops/BUILD.
_PORTABLE = (
    Label("tensorflow/core/kernels", "portable_tensorflow_kernels"),
    Label("tensorflow/core/ops", "portable_op_registrations_and_gradients"),
)

# The sources have kernels for other devices too; no library has them.
_DEVICES = (lookup.DEVICE, lookup.ANY)


def portable_sources(sources: Sources) -> frozenset[str]:
    """Returns the sources of TensorFlow's own library for mobile apps, as paths from the tree's root.

    Sources that need a library that tfcarve does not build are omitted, so the measured size is rather too
    small than too large.

    Args:
      sources: TensorFlow's sources.
    """
    build_files = BuildTree(sources.tree())
    files = {file for group in _PORTABLE for file in build_files.filegroup(group)}
    return frozenset(
        file
        for file in files
        if file.endswith(".cc")
        and not buildable.why_not(file, sources.release)
        and file not in sources.release.units.libraries
    )


def whole(selection: Selection, index: KernelIndex) -> Selection:
    """Returns `selection` with everything that its sources register for the CPU, as without selective registration."""
    return _with_all_of(selection, selection.files, index)


def stock(
    selection: Selection, index: KernelIndex, sources: Iterable[str], rules: Iterable[Rule]
) -> Selection:
    """Returns `selection` with everything that its sources and `sources` register for the CPU.

    Of the sources that register nothing, it has those that another source needs to link, and those that one of
    `rules` compiles.
    """
    of_runtime = {source for rule in rules for source in rule.compiles}
    registering = lookup.registering_sources(index)
    return _with_all_of(
        selection, {*selection.files, *registering.intersection(sources), *of_runtime}, index
    )


def _with_all_of(selection: Selection, sources: Iterable[str], index: KernelIndex) -> Selection:
    files = frozenset(sources)
    # Classes that are always registered: listing one breaks function_ops.cc, whose ops are not named by a
    # constant expression.
    by_itself = {(r.file, r.clazz) for r in index.registrations if r.system}
    kernels = {
        (r.op, r.clazz, r.file, r.label): SelectedKernel(
            op=r.op,
            clazz=r.clazz,
            file=r.file,
            constraints={},
            label=r.label,
            system=r.system,
            needed_by=(),
        )
        for r in index.registrations
        if r.file in files and r.device in _DEVICES
        if r.system or (r.file, r.clazz) not in by_itself
    }
    helpers_of = {
        file: tuple(sorted({*index.helpers.get(file, ())} - files)) for file in sorted(files)
    }
    return replace(
        selection,
        ops=tuple(
            SelectedOp(name=o.name, file=o.file, system=o.system, needed_by=())
            for o in index.ops
            if o.file in files
        ),
        kernels=tuple(kernel for _, kernel in sorted(kernels.items())),
        files=tuple(sorted(files)),
        helpers=tuple(sorted({helper for helpers in helpers_of.values() for helper in helpers})),
        helpers_of={file: helpers for file, helpers in helpers_of.items() if helpers},
        gradient_files=tuple(sorted({g.file for g in index.gradients} & files)),
    )
