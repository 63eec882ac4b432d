"""From models and an index to a selection, or to all that is missing at once."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tfcarve.errors import AnswerIsNo, Problem
from tfcarve.models.node_use import AttrValue, Model, NodeUse, OpAsk
from tfcarve.registry.index import IndexFile, OpDefinition, Registration
from tfcarve.selection import kernel_match, reach
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import (
    ModelFacts,
    Need,
    RuntimeOp,
    SelectedKernel,
    SelectedOp,
    Selection,
)

DEVICE = "CPU"
# So many nodes are kept for each op or kernel and model: enough to find it.
_NEEDS_KEPT = 100
_NEEDS_SHOWN = 3


@dataclass(frozen=True)
class Resolved:
    """A selection and what the user should know about it."""

    selection: Selection
    warnings: tuple[str, ...]


@dataclass
class _Work:
    """What has been found so far; lives only inside `resolve`."""

    ops: dict[str, list[Need]] = field(default_factory=dict)
    kernels: dict[Registration, list[Need]] = field(default_factory=dict)
    missing: dict[tuple[str, str], list[Need]] = field(default_factory=dict)
    devices: dict[str, list[Need]] = field(default_factory=dict)
    types: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # of (op, attribute)


def device_type(device: str) -> str:
    """Returns the type in a device string (`/job:a/device:GPU:0`, `/gpu:0`), in capitals; empty where it has none."""
    for part in device.split("/"):
        words = part.split(":")
        if words[0].lower() == "device" and len(words) > 1:
            return words[1].upper()
        if words[0].lower() in ("cpu", "gpu"):
            return words[0].upper()
    return ""


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {', '.join(near)}?" if near else ""


def _note(table: dict[str, list[Need]], key: str, need: Need) -> None:
    needs = table.setdefault(key, [])
    if len(needs) < _NEEDS_KEPT:
        needs.append(need)


def _types(attrs: Mapping[str, AttrValue]) -> str:
    shown = [
        f"{name}={value.value if value.kind == 'type' else '[' + ', '.join(value.value) + ']'}"
        for name, value in sorted(attrs.items())
        if value.kind in ("type", "list(type)") and not name.startswith("_")
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _registered(registrations: Iterable[Registration]) -> str:
    rows = []
    for r in registrations:
        if r.device in (DEVICE, "DEFAULT"):
            types = ", ".join(f"{a} in [{', '.join(t)}]" for a, t in r.constraints)
            label = f" label {r.label!r}" if r.label else ""
            rows.append((types or "all types") + label)
    rows = sorted(set(rows))
    if not rows:
        return "TensorFlow has no CPU kernel for it"
    more = f" and {len(rows) - 12} more" if len(rows) > 12 else ""
    return "there are kernels for " + "; ".join(rows[:12]) + more


class _Lookup:
    """Answers for one index, each question worked out once."""

    def __init__(self, index: IndexFile) -> None:
        self._index = index
        self._ops: dict[str, OpDefinition | None] = {}
        self._registrations: dict[str, tuple[Registration, ...]] = {}
        self._relevant: dict[str, frozenset[str]] = {}
        self._found: dict[object, kernel_match.Found] = {}

    def op(self, name: str) -> OpDefinition | None:
        if name not in self._ops:
            self._ops[name] = self._index.op(name)
        return self._ops[name]

    def registrations(self, op: str) -> tuple[Registration, ...]:
        if op not in self._registrations:
            found = self._index.registrations(op)
            self._registrations[op] = found
            names = {a for r in found for a, _ in (*r.constraints, *r.attr_constraints)}
            self._relevant[op] = frozenset(names | {"_kernel"})
        return self._registrations[op]

    def kernel(self, use: NodeUse, op: OpDefinition) -> kernel_match.Found:
        registrations = self.registrations(use.op)
        relevant = self._relevant[use.op]
        attrs = {name: value for name, value in use.attrs.items() if name in relevant}
        key = (use.op, tuple(sorted((n, v.kind, v.value) for n, v in attrs.items())))
        if key not in self._found:
            self._found[key] = kernel_match.find(
                registrations, DEVICE, kernel_match.with_defaults(op, attrs)
            )
        return self._found[key]


def _node(
    use: NodeUse, model: Model, lookup: _Lookup, work: _Work, replaced: frozenset[str]
) -> None:
    if use.op in model.functions:
        return  # a call: the function's own nodes are in the list too
    need = Need(use.model, use.function, use.node)
    op = lookup.op(use.op)
    if op is None:
        what = f"op {use.op!r} is unknown to TensorFlow {{version}}"
        work.missing.setdefault((use.op, what), []).append(need)
        return
    _note(work.ops, use.op, need)
    kind = device_type(use.device)
    if kind not in ("", DEVICE):
        _note(work.devices, use.device, need)
    for name, value in use.attrs.items():
        if value.kind == "type":
            work.types.setdefault((use.op, name), set()).add(value.value)
    found = lookup.kernel(use, op)
    if not found.kernels and use.op not in replaced:
        what = f"op {use.op!r}{_types(use.attrs)}: {found.why_not}"
        work.missing.setdefault((use.op, what), []).append(need)
    for registration in found.kernels:
        needs = work.kernels.setdefault(registration, [])
        if len(needs) < _NEEDS_KEPT:
            needs.append(need)


def _asked(ask: OpAsk, here: Sequence[Registration]) -> tuple[list[Registration], str]:
    """Returns the kernels among `here` that `ask` asks for, and why there are none."""
    if ask.clazz == "":
        return [], ""
    if ask.clazz is not None:
        squeezed = "".join(ask.clazz.split())
        wanted = [r for r in here if "".join(r.clazz.split()) == squeezed]
        return wanted, "" if wanted else f"no kernel class {ask.clazz!r}"
    types = set(ask.types)
    unlabelled = [r for r in here if not r.label]
    wanted = [r for r in unlabelled if not types or all(types & set(t) for _, t in r.constraints)]
    why = f"no {DEVICE} kernel for {', '.join(ask.types)}" if types else ""
    return wanted, "" if wanted else why


def _by_name(model: Model, lookup: _Lookup, work: _Work) -> None:
    """Takes what an ops list names."""
    for ask in model.asks:
        need = Need(model.path, "", ask.op)
        if lookup.op(ask.op) is None:
            what = f"op {ask.op!r} is unknown to TensorFlow {{version}}"
            work.missing.setdefault((ask.op, what), []).append(need)
            continue
        _note(work.ops, ask.op, need)
        here = [r for r in lookup.registrations(ask.op) if r.device == DEVICE]
        here = here or [r for r in lookup.registrations(ask.op) if r.device == "DEFAULT"]
        wanted, why = _asked(ask, here)
        if why:
            work.missing.setdefault((ask.op, f"op {ask.op!r}: {why}"), []).append(need)
        for registration in wanted:
            work.kernels.setdefault(registration, []).append(need)


def _runtime_kernels(op: str, types: set[str] | None, lookup: _Lookup) -> list[Registration]:
    """Returns the kernels of an op that the runtime adds: for `types` alone where they are given."""
    unlabelled = [r for r in lookup.registrations(op) if not r.label]
    here = [r for r in unlabelled if r.device == DEVICE] or [
        r for r in unlabelled if r.device == "DEFAULT"
    ]
    if types is None:
        return here
    return [r for r in here if all(types & set(t) for a, t in r.constraints if a in ("T", "dtype"))]


def _runtime(rules: Iterable[Rule], lookup: _Lookup, work: _Work) -> list[RuntimeOp]:
    used = set(work.ops)
    added: list[RuntimeOp] = []
    for rule in rules:
        if rule.when and not rule.when & used:
            continue
        types = None
        if rule.like:
            types = {t for op in rule.when for t in work.types.get((op, rule.like), ())}
        for op in rule.ops:
            if lookup.op(op) is None:
                continue  # a tree of another version: what it does not know it does not add
            work.ops.setdefault(op, [])
            for registration in _runtime_kernels(op, types, lookup):
                work.kernels.setdefault(registration, [])
            added.append(RuntimeOp(op, rule.id))
    return added


def _problems(work: _Work, index: IndexFile, lookup: _Lookup) -> list[Problem]:
    problems = []
    for (op, what), needs in sorted(work.missing.items()):
        who = [n.text() for n in needs[:_NEEDS_SHOWN]]
        if len(needs) > _NEEDS_SHOWN:
            who.append(f"{len(needs) - _NEEDS_SHOWN} more nodes")
        if lookup.op(op) is None:
            hint = _nearest(op, index.op_names()) or "a custom op? give its source with --custom-op"
        else:
            hint = _registered(lookup.registrations(op))
        unread = [u for u in index.unresolved if f'"{op}"' in u.why]
        if unread:
            hint += f" (a registration could not be read: {unread[0].file}:{unread[0].line})"
        problems.append(
            Problem(what.replace("{version}", index.tensorflow.version), tuple(who), hint)
        )
    return problems


def _merged(work: _Work, lookup: _Lookup) -> tuple[list[SelectedOp], list[SelectedKernel]]:
    ops = []
    for name, needs in sorted(work.ops.items()):
        op = lookup.op(name)
        if op is not None:
            ops.append(SelectedOp(name, op.file, op.system, tuple(sorted(set(needs)))))
    merged: dict[tuple[str, str, str, str, bool], tuple[dict[str, set[str]] | None, set[Need]]] = {}
    for registration, needs in work.kernels.items():
        key = (
            registration.op,
            registration.clazz,
            registration.file,
            registration.label,
            registration.system,
        )
        constraints = {a: set(t) for a, t in registration.constraints}
        if key not in merged:
            merged[key] = (constraints, set(needs))
            continue
        known, who = merged[key]
        if known is not None and known.keys() == constraints.keys():
            for attr, types in constraints.items():
                known[attr] |= types
        who.update(needs)
    kernels = [
        SelectedKernel(
            op,
            clazz,
            file,
            tuple((a, tuple(sorted(t))) for a, t in sorted((c or {}).items())),
            label,
            system,
            tuple(sorted(who)),
        )
        for (op, clazz, file, label, system), (c, who) in sorted(
            merged.items(), key=lambda item: item[0]
        )
    ]
    return ops, kernels


def resolve(models: Iterable[Model], index: IndexFile, rules: Iterable[Rule]) -> Resolved:
    """Works out what `models` need.

    Args:
      models: in any order; the result does not depend on it.
      index: what TensorFlow registers.
      rules: what its runtime adds.
    Returns: the selection, with warnings.
    Raises AnswerIsNo with everything that is missing.
    """
    work = _Work()
    lookup = _Lookup(index)
    known = tuple(rules)
    replaced = frozenset(op for rule in known if rule.replaced for op in rule.when)
    ordered = sorted(models, key=lambda m: (m.path, m.sha256))
    for model in ordered:
        for use in reach.needed_nodes(model):
            _node(use, model, lookup, work, replaced)
        _by_name(model, lookup, work)
    if work.missing:
        problems = _problems(work, index, lookup)
        raise AnswerIsNo(
            f"TensorFlow {index.tensorflow.version} cannot run the models: {len(problems)} missing:",
            problems,
        )
    added = _runtime(known, lookup, work)
    ops, kernels = _merged(work, lookup)
    files = sorted({o.file for o in ops} | {k.file for k in kernels})
    helpers = sorted({h for f in files for h in index.helpers.get(f, ())} - set(files))
    warnings = [
        f"{needs[0].text()} asks for {device}: a library for {DEVICE} is made, its {DEVICE} kernel is taken"
        + (f" (and {len(needs) - 1} more nodes)" if len(needs) > 1 else "")
        for device, needs in sorted(work.devices.items())
    ]
    return Resolved(
        Selection(
            index.tensorflow,
            tuple(sorted({ModelFacts(m.path, m.sha256, m.format) for m in ordered})),
            tuple(ops),
            tuple(kernels),
            tuple(files),
            tuple(helpers),
            tuple(sorted(set(added))),
        ),
        tuple(warnings),
    )
