"""What a selection lacks, in words: all of it at once, with the nodes and what is nearest."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from tfcarve.errors import Problem
from tfcarve.models.node_use import AttrValue
from tfcarve.registry.index import IndexFile, Registration
from tfcarve.selection import buildable
from tfcarve.selection.lookup import ANY, DEVICE, Lookup
from tfcarve.selection.selection import Need, shown

# An op, and what of it is missing.
Missing = tuple[str, str]
# Of so many unknown ops at most the nearest names are looked for: each takes milliseconds, and a damaged
# or hostile model may have a million.
_LOOKED_FOR = 100


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {', '.join(near)}?" if near else ""


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
            types = ", ".join(f"{a} in [{', '.join(t)}]" for a, t in r.constraints)
            label = f" label {r.label!r}" if r.label else ""
            rows.append((types or "all types") + label)
    rows = sorted(set(rows))
    if not rows:
        return "TensorFlow has no CPU kernel for it"
    more = f" and {len(rows) - 12} more" if len(rows) > 12 else ""
    return "there are kernels for " + "; ".join(rows[:12]) + more


def problems(
    missing: Mapping[Missing, list[Need]], index: IndexFile, lookup: Lookup
) -> list[Problem]:
    """Returns what `missing` comes to: each with who needs it and what there is instead."""
    found = []
    unknown = sorted({op for op, _ in missing if lookup.op(op) is None})
    known = index.op_names()
    nearest = {op: _nearest(op, known) for op in unknown[:_LOOKED_FOR]}
    for (op, what), needs in sorted(missing.items()):
        definition = lookup.op(op)
        if definition is None:
            hint = nearest.get(op) or "a custom op? give its source with --custom-op"
        elif buildable.why_not(definition.file, lookup.release):
            hint = ""  # whatever kernels there are
        else:
            hint = _registered(lookup.registrations(op))
        unread = [u for u in index.unresolved if f'"{op}"' in u.why]
        if unread:
            hint += f" (a registration could not be read: {unread[0].file}:{unread[0].line})"
        found.append(
            Problem(what.replace("{version}", index.tensorflow.version), shown(needs), hint)
        )
    return found
