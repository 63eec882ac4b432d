"""From models and an index to a selection, or to all that is missing at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import Model, NodeUse, RequestedOp
from tfcarve.registry.index import IndexFile, OpDefinition, Registration
from tfcarve.selection import added_ops, buildable, input_decoding, leftovers, missing, reach
from tfcarve.selection.leftover_kinds import Kinds
from tfcarve.selection.lookup import DEVICE, Lookup
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import (
    GRADIENT_OP,
    Leftover,
    ModelFacts,
    Need,
    RuntimeOp,
    SelectedKernel,
    SelectedOp,
    Selection,
)
from tfcarve.selection.work import Work, note

_DECODING = "input decoding"


@dataclass(frozen=True)
class Resolved:
    """A selection, what may be wrong with it, and what of it the models could do without."""

    selection: Selection
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def device_type(device: str) -> str:
    """Returns the type in a device string (`/job:a/device:GPU:0`, `/gpu:0`), in capitals; empty where it has none."""
    for part in device.split("/"):
        words = part.split(":")
        if words[0].lower() == "device" and len(words) > 1:
            return words[1].upper()
        if words[0].lower() in ("cpu", "gpu"):
            return words[0].upper()
    return ""


def _defined(name: str, need: Need, lookup: Lookup, work: Work) -> OpDefinition | None:
    """Returns the definition of an op that a library can have; of another says why not, and returns None."""
    op = lookup.op(name)
    why = buildable.why_not(op.file) if op is not None else ""
    if op is None:
        what = f"op {name!r} is unknown to TensorFlow {{version}}"
    elif why:
        what = f"op {name!r}: defined in {op.file}: {why}"
    else:
        note(work.ops, name, need)
        return op
    work.missing.setdefault((name, what), []).append(need)
    return None


def _node(use: NodeUse, model: Model, lookup: Lookup, work: Work, replaced: frozenset[str]) -> None:
    if use.op in model.functions:
        return  # a call: the function's own nodes are in the list too
    need = Need(use.model, use.function, use.node)
    op = _defined(use.op, need, lookup, work)
    if op is None:
        return
    kind = device_type(use.device)
    if kind not in ("", DEVICE):
        note(work.devices, use.device, need)
    for name, value in use.attrs.items():
        if value.kind == "type":
            work.types.setdefault((use.op, name), set()).add(value.value)
    found = lookup.kernel(use, op)
    if not found.kernels and use.op not in replaced:
        what = f"op {use.op!r}{missing.types_of(use.attrs)}: {found.why}"
        work.missing.setdefault((use.op, what), []).append(need)
    for registration in found.kernels:
        work.take(registration, need, found.why)


def _asked(ask: RequestedOp, here: Sequence[Registration]) -> tuple[list[Registration], str]:
    """Returns the kernels among `here` that `ask` asks for, and why those, or why there are none."""
    if ask.clazz == "":
        return [], ""
    if ask.clazz is not None:
        squeezed = "".join(ask.clazz.split())
        wanted = [r for r in here if "".join(r.clazz.split()) == squeezed]
        return wanted, "the class that a list names" if wanted else f"no kernel class {ask.clazz!r}"
    types = set(ask.types)
    unlabelled = [r for r in here if not r.label]
    wanted = [r for r in unlabelled if not types or all(types & set(t) for _, t in r.constraints)]
    if wanted:
        return wanted, f"a list asks for {', '.join(ask.types) or 'all types'}"
    return [], f"no {DEVICE} kernel for {', '.join(ask.types)}" if types else ""


def _by_name(model: Model, lookup: Lookup, work: Work) -> None:
    """Takes what an ops list names."""
    for ask in model.requests:
        need = Need(model.path, "", ask.op)
        if _defined(ask.op, need, lookup, work) is None:
            continue
        work.types.setdefault((ask.op, "T"), set()).update(ask.types)
        wanted, why = _asked(ask, lookup.own(ask.op))
        if why and not wanted:
            work.missing.setdefault((ask.op, f"op {ask.op!r}: {why}"), []).append(need)
        for registration in wanted:
            work.take(registration, need, why)


def _refuse_unbuildable(work: Work) -> None:
    """Notes as missing the kernels that are where no library can be made from."""
    for r, needs in work.kernels.items():
        why = buildable.why_not(r.file)
        if why:
            what = f"op {r.op!r}: its kernel is in {r.file}: {why}"
            work.missing.setdefault((r.op, what), []).extend(needs)


def _left_over(
    model: Model, uses: Sequence[NodeUse], kinds: Kinds, lookup: Lookup, work: Work
) -> None:
    trained = leftovers.leftovers(model, uses, kinds, lookup)
    found = {place: (kind.id, kind.transform) for place, kind in trained.items()}
    needed = [u for u in uses if (u.function, u.node) not in found] if found else uses
    decoding = input_decoding.decoding(needed, model.outputs, kinds.decoding)
    found.update({("", node): (_DECODING, how) for node, how in decoding.items()})
    for use in uses:
        kind, transform = found.get((use.function, use.node), ("", ""))
        if not kind:
            work.kept.add(use.op)
        elif use.op not in model.functions:
            need = Need(use.model, use.function, use.node)
            note(work.left, (kind, use.op, transform), need)
    work.kept.update(ask.op for ask in model.requests)


def _selected_kernels(work: Work) -> list[SelectedKernel]:
    """Returns the kernels, registrations of one class for several types as one."""
    merged: dict[tuple[str, str, str, str, bool], list[Registration]] = {}
    for r in work.kernels:
        merged.setdefault((r.op, r.clazz, r.file, r.label, r.system), []).append(r)
    kernels = []
    for (op, clazz, file, label, system), registrations in sorted(merged.items()):
        constraints: dict[str, set[str]] = {}
        for r in registrations:
            for attr, types in r.constraints:
                constraints.setdefault(attr, set()).update(types)
        kernels.append(
            SelectedKernel(
                op,
                clazz,
                file,
                tuple((a, tuple(sorted(t))) for a, t in sorted(constraints.items())),
                label,
                system,
                tuple(sorted({need for r in registrations for need in work.kernels[r]})),
                tuple(sorted({why for r in registrations for why in work.why[r]})),
            )
        )
    return kernels


def _selected_leftovers(work: Work, added: Iterable[RuntimeOp]) -> tuple[Leftover, ...]:
    kept = work.kept | {a.op for a in added}
    return tuple(
        Leftover(kind, op, op not in kept, transform, tuple(sorted(set(needs))))
        for (kind, op, transform), needs in sorted(work.left.items())
    )


def _warnings(work: Work) -> tuple[str, ...]:
    return tuple(
        f"{needs[0].text()} asks for {device}: a library for {DEVICE} is made, its {DEVICE} kernel is taken"
        + (f" (and {len(needs) - 1} more nodes)" if len(needs) > 1 else "")
        for device, needs in sorted(work.devices.items())
    )


def _notes(left: Iterable[Leftover]) -> tuple[str, ...]:
    """Says of each kind of leftovers which ops a model without them would not need."""
    ops: dict[tuple[str, str], list[str]] = {}
    for leftover in left:
        if leftover.alone:
            ops.setdefault((leftover.kind, leftover.transform), []).append(leftover.op)
    return tuple(
        f"left over from training ({kind}), needed by nothing else: {', '.join(names)}: removed by {transform}"
        for (kind, transform), names in sorted(ops.items())
    )


def _helpers(files: Sequence[str], index: IndexFile) -> Mapping[str, tuple[str, ...]]:
    found = {f: tuple(sorted(set(index.helpers.get(f, ())) - set(files))) for f in files}
    return {file: helpers for file, helpers in found.items() if helpers}


def resolve(
    models: Iterable[Model], index: IndexFile, rules: Iterable[Rule], kinds: Kinds
) -> Resolved:
    """Works out what `models` need.

    Args:
      models: in any order; the result does not depend on it.
      index: what TensorFlow registers.
      rules: what its runtime adds.
      kinds: what models keep from their training, and the optimizers.
    Returns: the selection, with warnings.
    Raises CheckFailed with everything that is missing.
    """
    work = Work()
    lookup = Lookup(index)
    known = tuple(rules)
    replaced = frozenset(op for rule in known if rule.replaced for op in rule.when)
    ordered = sorted(models, key=lambda model: model.path)
    for model in ordered:
        uses = reach.needed_nodes(model)
        for use in uses:
            _node(use, model, lookup, work, replaced)
        _by_name(model, lookup, work)
        _left_over(model, uses, kinds, lookup, work)
    _refuse_unbuildable(work)
    if work.missing:
        problems = missing.problems(work.missing, index, lookup)
        raise CheckFailed(
            f"TensorFlow {index.tensorflow.version} cannot run the models: {len(problems)} missing:",
            problems,
        )
    added = added_ops.train(kinds, lookup, work) if any(m.training for m in ordered) else []
    gradients, gradient_files = (
        added_ops.differentiate(index, lookup, work) if GRADIENT_OP in work.ops else ([], ())
    )
    added += gradients
    rules_here = added_ops.that_hold(known, work)
    added += added_ops.runtime(rules_here, lookup, work)
    kernels = _selected_kernels(work)
    found = ((name, lookup.op(name), needs) for name, needs in sorted(work.ops.items()))
    ops = [
        SelectedOp(name, op.file, op.system, tuple(sorted(set(needs))))
        for name, op, needs in found
        if op is not None
    ]
    parts = {source for rule in rules_here for source in rule.compiles}
    files = sorted({o.file for o in ops} | {k.file for k in kernels} | parts | {*gradient_files})
    helpers = _helpers(files, index)
    left = _selected_leftovers(work, added)
    # Asked for last: a digest may still be in the making.
    facts = {ModelFacts(m.path, m.digest(), m.format, m.signatures) for m in ordered}
    return Resolved(
        Selection(
            index.tensorflow,
            tuple(sorted(facts)),
            tuple(ops),
            tuple(kernels),
            tuple(files),
            tuple(sorted({h for of_file in helpers.values() for h in of_file})),
            tuple(sorted(set(added))),
            tuple(helpers.items()),
            left,
            gradient_files,
        ),
        _warnings(work),
        _notes(left),
    )
