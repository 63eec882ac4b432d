"""Which selected sources need a library that tfcarve does not build. Pure."""

from tfcarve.errors import Problem
from tfcarve.releases.release import Release
from tfcarve.selection.need import Need, shown
from tfcarve.selection.selection import Selection

_HINT = "have the app do what the op does, and cut it off the model"


def missing(selection: Selection, release: Release) -> list[Problem]:
    """Returns a problem for each op of `selection` whose kernel needs a library that is not built here."""
    needed = release.units.libraries
    left = {
        x.op: f"left over ({x.kind}): removed by {x.transform}"
        for x in selection.leftovers
        if x.alone
    }
    found: dict[tuple[str, str], set[Need]] = {}
    for kernel in selection.kernels:
        if kernel.file in needed:
            found.setdefault((kernel.file, kernel.op), set()).update(kernel.needed_by)
    return [
        Problem(
            f"op {op!r}: its kernel, in {file}, needs {', '.join(needed[file])}",
            shown(sorted(needs)),
            left.get(op, _HINT),
        )
        for (file, op), needs in sorted(found.items())
    ]
