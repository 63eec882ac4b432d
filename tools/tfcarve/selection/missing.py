"""Messages for missing ops and kernels: the nodes that need them, and the kernels that exist."""

from collections.abc import Iterable, Mapping

from tfcarve.errors import Problem
from tfcarve.models.node_use import AttrValue
from tfcarve.nearest import suggestion
from tfcarve.newer import check as newer_check
from tfcarve.registry.index import KernelIndex, Registration
from tfcarve.selection import buildable
from tfcarve.selection.lookup import ANY, DEVICE, Lookup
from tfcarve.selection.need import Need, shown

# An op, and the message about the missing op or kernel.
Missing = tuple[str, str]
# Similar names are searched for this many unknown ops: each search takes milliseconds, and a damaged or hostile model
# may have a million unknown ops.
_MAX_SUGGESTIONS = 100
_MAX_KERNELS = 12


def types_of(attrs: Mapping[str, AttrValue]) -> str:
    """Returns a node's data types for a message."""
    shown = [
        f"{name}={value.value if value.kind == 'type' else '[' + ', '.join(value.value) + ']'}"
        for name, value in sorted(attrs.items())
        if value.kind in ("type", "list(type)") and not name.startswith("_")
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _registered(registrations: Iterable[Registration]) -> str:
    rows = []
    for r in registrations:
        if r.device in (DEVICE, ANY):
            types = ", ".join(f"{a} in [{', '.join(t)}]" for a, t in r.constraints.items())
            label = f" label {r.label!r}" if r.label else ""
            rows.append((types or "all types") + label)
    rows = sorted(set(rows))
    if not rows:
        return "TensorFlow has no CPU kernel for it"
    more = f" and {len(rows) - _MAX_KERNELS} more" if len(rows) > _MAX_KERNELS else ""
    return "kernels exist for " + "; ".join(rows[:_MAX_KERNELS]) + more


def unknown_op(op: str, lookup: Lookup) -> str:
    """Returns the message about an op that the index does not have."""
    first = lookup.first_release(op)
    if first:
        return f"op {op!r} is newer than TensorFlow {lookup.version}: {first} is the first release that has it"
    return f"op {op!r} is unknown to TensorFlow {lookup.version}"


def problems(
    missing: Mapping[Missing, list[Need]], index: KernelIndex, lookup: Lookup
) -> list[Problem]:
    """Returns a problem for each missing op or kernel, with the nodes that need it and the kernels that exist."""
    found = []
    unknown = sorted({op for op, _ in missing if lookup.op(op) is None})
    known = index.op_names()
    suggestions = {op: suggestion(op, known) for op in unknown[:_MAX_SUGGESTIONS]}
    for (op, what), needs in sorted(missing.items()):
        definition = lookup.op(op)
        if lookup.first_release(op) and definition is None:
            hint = f"{newer_check.op_fix(lookup.newer)}; or pass a C++ source that defines an op of this name with --custom-op"
        elif definition is None:
            hint = suggestions.get(op) or "if it is a custom op, pass its source with --custom-op"
        elif buildable.why_not(definition.file, lookup.release):
            hint = ""  # other kernels would not help
        else:
            hint = _registered(lookup.registrations(op))
        unresolved = [u for u in index.unresolved if f'"{op}"' in u.why]
        if unresolved:
            hint += f" (a registration could not be evaluated: {unresolved[0].file}:{unresolved[0].line})"
        found.append(Problem(what, shown(needs), hint))
    return found
