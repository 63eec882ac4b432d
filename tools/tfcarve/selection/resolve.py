"""From models and an index to a selection, or to a list of all missing ops and kernels."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tfcarve.errors import CheckFailed, Problem
from tfcarve.models.node_use import Model, NodeUse, RequestedOp
from tfcarve.registry.index import KernelIndex, OpDefinition, Registration
from tfcarve.releases.release import Release
from tfcarve.selection import (
    buildable,
    graph_versions,
    implicit_ops,
    input_decoding,
    invalid,
    leftovers,
    missing,
    newer_attributes,
    reachable,
    refused_attributes,
    runtime,
)
from tfcarve.selection.leftover_kinds import Kinds
from tfcarve.selection.lookup import DEVICE, Lookup
from tfcarve.selection.need import Need
from tfcarve.selection.partial import PartialSelection, add_need
from tfcarve.selection.runtime import Runtime, SessionReason
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import (
    GRADIENT_OP,
    Leftover,
    ModelFacts,
    RuntimeOp,
    SelectedKernel,
    SelectedOp,
    Selection,
)

_DECODING = "input decoding"

RuntimeRequest = Literal["auto", "plan", "session", "flex"]


@dataclass(frozen=True)
class Resolved:
    """A selection, warnings about it, and notes about parts of the models that could be removed."""

    selection: Selection
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def device_type(device: str) -> str:
    """Returns the type in a device string (`/job:a/device:GPU:0`, `/gpu:0`) in capitals; empty if it has none."""
    for part in device.split("/"):
        words = part.split(":")
        if words[0].lower() == "device" and len(words) > 1:
            return words[1].upper()
        if words[0].lower() in ("cpu", "gpu"):
            return words[0].upper()
    return ""


def _add_op(
    name: str, need: Need, lookup: Lookup, partial: PartialSelection
) -> OpDefinition | None:
    """Adds an op and returns its definition. If no library can have the op, adds it to the missing ops and returns None."""
    op = lookup.op(name)
    why = buildable.why_not(op.file, lookup.release) if op is not None else ""
    if op is None:
        what = missing.unknown_op(name, lookup)
    elif why:
        what = f"op {name!r}: defined in {op.file}: {why}"
    else:
        add_need(partial.ops, name, need)
        return op
    partial.missing.setdefault((name, what), []).append(need)
    return None


def _add_node(
    use: NodeUse,
    model: Model,
    lookup: Lookup,
    partial: PartialSelection,
    replaced: frozenset[str],
) -> None:
    if use.op in model.functions:
        return  # a call: the function's nodes are in the model's nodes
    need = Need(use.model, use.node, use.function)
    op = _add_op(use.op, need, lookup, partial)
    if op is None:
        return
    refusal = newer_attributes.refusal(use, op, lookup, partial)
    refusal = refusal or refused_attributes.refusal(use, lookup.release)
    if refusal is not None:
        add_need(partial.refused, refusal, need)
        return
    if device_type(use.device) not in ("", DEVICE):
        add_need(partial.devices, use.device, need)
    for name, value in use.attrs.items():
        if value.kind == "type":
            partial.types.setdefault((use.op, name), set()).add(value.value)
    match = lookup.kernel(use, op)
    if not match.kernels and use.op not in replaced:
        what = f"op {use.op!r}{missing.types_of(use.attrs)}: {match.why}"
        partial.missing.setdefault((use.op, what), []).append(need)
    for registration in match.kernels:
        partial.add_kernel(registration, need, match.why)


def _requested(
    request: RequestedOp, registrations: Sequence[Registration]
) -> tuple[list[Registration], str]:
    """Returns the kernels that an ops list requests, and why these, or why no kernel matches."""
    if request.clazz == "":
        return [], ""
    if request.clazz is not None:
        squeezed = "".join(request.clazz.split())
        named = [r for r in registrations if "".join(r.clazz.split()) == squeezed]
        return named, (
            "the class that an ops list names" if named else f"no kernel class {request.clazz!r}"
        )
    types = set(request.types)
    unlabelled = [r for r in registrations if not r.label]
    matching = [
        r for r in unlabelled if not types or all(types & set(t) for t in r.constraints.values())
    ]
    if matching:
        return matching, f"an ops list requests {', '.join(request.types) or 'all types'}"
    return [], f"no {DEVICE} kernel for {', '.join(request.types)}" if types else ""


def _add_requested_ops(model: Model, lookup: Lookup, partial: PartialSelection) -> None:
    """Adds the ops that an ops list names."""
    for request in model.requests:
        need = Need(model.path, request.op)
        if _add_op(request.op, need, lookup, partial) is None:
            continue
        partial.types.setdefault((request.op, "T"), set()).update(request.types)
        kernels, why = _requested(request, lookup.on_device(request.op))
        if why and not kernels:
            what = f"op {request.op!r}: {why}"
            partial.missing.setdefault((request.op, what), []).append(need)
        for registration in kernels:
            partial.add_kernel(registration, need, why)


def _refuse_unbuildable(partial: PartialSelection, release: Release) -> None:
    """Adds the kernels whose sources cannot be in a library to the missing ones."""
    for r, needs in partial.kernels.items():
        why = buildable.why_not(r.file, release)
        if why:
            what = f"op {r.op!r}: its kernel is in {r.file}: {why}"
            partial.missing.setdefault((r.op, what), []).extend(needs)


def _find_leftovers(
    model: Model, uses: Sequence[NodeUse], kinds: Kinds, lookup: Lookup, partial: PartialSelection
) -> None:
    trained = leftovers.leftovers(model, uses, kinds, lookup)
    found = {place: (kind.id, kind.transform) for place, kind in trained.items()}
    needed = [u for u in uses if (u.function, u.node) not in found] if found else uses
    decoding = input_decoding.decoding(needed, model.outputs, kinds.decoding)
    found.update({("", node): (_DECODING, transform) for node, transform in decoding.items()})
    for use in uses:
        kind, transform = found.get((use.function, use.node), ("", ""))
        if not kind:
            partial.used.add(use.op)
        elif use.op not in model.functions:
            need = Need(use.model, use.node, use.function)
            add_need(partial.leftovers, (kind, use.op, transform), need)
    partial.used.update(request.op for request in model.requests)


def _selected_kernels(partial: PartialSelection) -> list[SelectedKernel]:
    """Returns the kernels; registrations of one class for several types are merged."""
    merged: dict[tuple[str, str, str, str, bool], list[Registration]] = {}
    for r in partial.kernels:
        merged.setdefault((r.op, r.clazz, r.file, r.label, r.system), []).append(r)
    kernels = []
    for (op, clazz, file, label, system), registrations in sorted(merged.items()):
        constraints: dict[str, set[str]] = {}
        for r in registrations:
            for attr, types in r.constraints.items():
                constraints.setdefault(attr, set()).update(types)
        kernels.append(
            SelectedKernel(
                op=op,
                clazz=clazz,
                file=file,
                constraints={a: tuple(sorted(t)) for a, t in sorted(constraints.items())},
                label=label,
                system=system,
                needed_by=tuple(sorted({n for r in registrations for n in partial.kernels[r]})),
                why=tuple(sorted({why for r in registrations for why in partial.why[r]})),
            )
        )
    return kernels


def _selected_leftovers(
    partial: PartialSelection, added: Iterable[RuntimeOp]
) -> tuple[Leftover, ...]:
    used = partial.used | {a.op for a in added}
    return tuple(
        Leftover(kind, op, op not in used, transform, tuple(sorted(set(needs))))
        for (kind, op, transform), needs in sorted(partial.leftovers.items())
    )


def _warnings(partial: PartialSelection) -> tuple[str, ...]:
    devices = (
        f"{needs[0].text()} is placed on {device}: the library is for {DEVICE}, its {DEVICE} kernel is selected"
        + (f" (and {len(needs) - 1} more nodes)" if len(needs) > 1 else "")
        for device, needs in sorted(partial.devices.items())
    )
    return (*devices, *partial.warnings)


def _notes(found: Iterable[Leftover]) -> tuple[str, ...]:
    """Returns, for each kind of leftovers, the ops that models without them do not need."""
    ops: dict[tuple[str, str], list[str]] = {}
    for leftover in found:
        if leftover.alone:
            ops.setdefault((leftover.kind, leftover.transform), []).append(leftover.op)
    return tuple(
        _note(kind, ", ".join(names), transform) for (kind, transform), names in sorted(ops.items())
    )


def _note(kind: str, ops: str, transform: str) -> str:
    if kind == _DECODING:
        return f"the model decodes its input, and nothing else needs {ops}: an app that decodes files itself can use {transform}"
    return (
        f"left over from training ({kind}), needed by nothing else: {ops}: removed by {transform}"
    )


def _helpers(files: Sequence[str], index: KernelIndex) -> Mapping[str, tuple[str, ...]]:
    found = {f: tuple(sorted(set(index.helpers.get(f, ())) - set(files))) for f in files}
    return {file: helpers for file, helpers in found.items() if helpers}


def _choose_runtime(
    request: RuntimeRequest, models: Iterable[Model], lookup: Lookup, partial: PartialSelection
) -> tuple[Runtime, tuple[SessionReason, ...]]:
    """Returns what runs the models, and why it is a session.

    Raises CheckFailed if a plan or a Flex delegate is requested that cannot run them.
    """
    if request == "session":
        return "session", (SessionReason("it was requested"),)
    session_ops = runtime.load(lookup.release)
    ops = [
        (op, needs) for name, needs in partial.ops.items() if (op := lookup.op(name)) is not None
    ]
    if request == "flex":
        _require_no("a Flex delegate", runtime.delegate_reasons(ops, session_ops))
        return "flex", ()
    trains = any(model.training for model in models)
    reasons = runtime.session_reasons(ops, session_ops, trains=trains)
    if request == "plan":
        _require_no("a plan", reasons)
    return ("session" if reasons else "plan"), reasons


def _require_no(runner: str, reasons: Iterable[SessionReason]) -> None:
    """Raises CheckFailed if there are reasons why the runner cannot run the models."""
    problems = [
        Problem(
            f"op {reason.op!r}: {reason.why}" if reason.op else reason.why,
            tuple(need.text() for need in reason.needed_by),
        )
        for reason in reasons
    ]
    if problems:
        raise CheckFailed(f"{runner} cannot run the models:", problems)


def resolve(
    models: Iterable[Model],
    index: KernelIndex,
    release: Release,
    rules: Iterable[Rule],
    kinds: Kinds,
    request: RuntimeRequest,
) -> Resolved:
    """Selects the ops, kernels and sources that models need.

    Args:
      models: the models; the result does not depend on their order.
      index: TensorFlow's ops and kernels.
      release: the index's release, or the default release if tfcarve does not build the index's release.
      rules: the ops that TensorFlow's session adds to graphs.
      kinds: kinds of leftover training nodes, and the optimizers.
      request: what runs the graphs; "auto": a plan if it can run them, otherwise a session.

    Returns:
      The selection with warnings and notes.

    Raises:
      CheckFailed: ops or kernels are missing, or TensorFlow refuses a graph; lists all reasons.
    """
    partial = PartialSelection()
    lookup = Lookup(index, release)
    all_rules = tuple(rules)
    replaced = frozenset(op for rule in all_rules if rule.replaced for op in rule.when)
    ordered = sorted(models, key=lambda model: model.path)
    calls_functions = False
    for model in ordered:
        parts = reachable.reachable_parts(model)
        uses = tuple(itertools.chain.from_iterable(parts))
        invalid.add_faults(model, parts, lookup, partial)
        invalid.add_tables(model, uses, partial)
        calls_functions |= runtime.calls_functions(uses, model)
        for use in uses:
            _add_node(use, model, lookup, partial, replaced)
        _add_requested_ops(model, lookup, partial)
        _find_leftovers(model, uses, kinds, lookup, partial)
    _refuse_unbuildable(partial, lookup.release)
    excluded = graph_versions.problems(ordered, lookup)
    if partial.missing or partial.refused or partial.invalid or excluded:
        absent = missing.problems(partial.missing, index, lookup)
        refused = [*excluded, *refused_attributes.problems(partial.refused)]
        wrong = invalid.problems(partial.invalid)
        counts = ((len(absent), "missing"), (len(refused), "refused"), (len(wrong), "invalid"))
        what = ", ".join(f"{count} {word}" for count, word in counts if count)
        raise CheckFailed(
            f"TensorFlow {index.tensorflow.version} cannot run the models: {what}:",
            [*absent, *refused, *wrong],
        )
    chosen, reasons = _choose_runtime(request, ordered, lookup, partial)
    control_flow = False
    if chosen == "plan":
        session_ops = runtime.load(release)
        control_flow = calls_functions or not session_ops.control_flow.isdisjoint(partial.ops)
        partial.drop_kernels(session_ops.own | session_ops.control_flow)
    added = []
    if any(model.training for model in ordered):
        added += implicit_ops.add_optimizers(kinds, lookup, partial)
    gradient_files: tuple[str, ...] = ()
    if GRADIENT_OP in partial.ops:
        gradients, gradient_files = implicit_ops.add_gradients(index, lookup, partial)
        added += gradients
    # A plan adds no ops to graphs, and neither does a Flex delegate.
    applicable = implicit_ops.applicable(all_rules if chosen == "session" else (), partial)
    added += implicit_ops.add_runtime_ops(applicable, lookup, partial)
    kernels = _selected_kernels(partial)
    found = ((name, lookup.op(name), needs) for name, needs in sorted(partial.ops.items()))
    ops = [
        SelectedOp(name=name, file=op.file, system=op.system, needed_by=tuple(sorted(set(needs))))
        for name, op, needs in found
        if op is not None
    ]
    compiled = {source for rule in applicable for source in rule.compiles}
    files = sorted({o.file for o in ops} | {k.file for k in kernels} | compiled | {*gradient_files})
    helpers_of = _helpers(files, index)
    left = _selected_leftovers(partial, added)
    # Last, because another thread may still compute the digests.
    facts = {(m.path, m.digest(), m.format, tuple(m.signatures)): m.signatures for m in ordered}
    return Resolved(
        Selection(
            tensorflow=index.tensorflow,
            models=tuple(ModelFacts(*key[:3], facts[key]) for key in sorted(facts)),
            ops=tuple(ops),
            kernels=tuple(kernels),
            files=tuple(files),
            helpers=tuple(sorted({h for helpers in helpers_of.values() for h in helpers})),
            helpers_of=helpers_of,
            added_by_runtime=tuple(sorted(set(added))),
            leftovers=left,
            gradient_files=gradient_files,
            runtime=chosen,
            session_reasons=reasons,
            control_flow=control_flow,
        ),
        _warnings(partial),
        (*_notes(left), *newer_attributes.notes(ordered, lookup, partial)),
    )
