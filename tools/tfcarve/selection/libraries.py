"""The third-party libraries that selected sources need. Pure."""

from tfcarve.errors import Problem
from tfcarve.releases.release import Release
from tfcarve.selection.need import Need, shown
from tfcarve.selection.selection import Selection

_HINT = "remove the op from the model, and compute its result in the app"


def needed(selection: Selection, release: Release) -> list[str]:
    """Returns the names of the libraries that the selected sources need, sorted."""
    by_unit = release.units.libraries
    return sorted({name for source in selection.files for name in by_unit.get(source, ())})


def missing(selection: Selection, release: Release) -> list[Problem]:
    """Returns a problem for each op of `selection` whose kernel needs a library that is not built here."""
    unbuilt = {
        unit: [name for name in names if name not in release.libraries]
        for unit, names in release.units.libraries.items()
    }
    left = {
        x.op: f"left over ({x.kind}): removed by {x.transform}"
        for x in selection.leftovers
        if x.alone
    }
    found: dict[tuple[str, str], set[Need]] = {}
    for kernel in selection.kernels:
        if unbuilt.get(kernel.file):
            found.setdefault((kernel.file, kernel.op), set()).update(kernel.needed_by)
    return [
        Problem(
            f"op {op!r}: its kernel, in {file}, needs {', '.join(unbuilt[file])}",
            shown(sorted(needs)),
            left.get(op, _HINT),
        )
        for (file, op), needs in sorted(found.items())
    ]
