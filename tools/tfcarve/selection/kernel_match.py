"""Chooses the kernel for a node as TensorFlow does.

Source: tensorflow/core/framework/op_kernel.cc (FindKernelRegistration) and
kernel_def_util.cc (KernelAttrsMatch). Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.models.node_use import AttrValue
from tfcarve.op_definition import Attr
from tfcarve.registry.index import OpDefinition, Registration

_UNKNOWN = frozenset(("placeholder",))


@dataclass(frozen=True, slots=True)
class Match:
    """The result of a lookup.

    Attributes:
      kernels: the kernel; several if a caller of the function decides an attribute; empty if none matches.
      why: why these kernels were chosen, or why no kernel matches.
    """

    kernels: tuple[Registration, ...]
    why: str


def default_value(attr: Attr) -> AttrValue | None:
    """Returns the default of `attr` as the value of a node's attribute, or None if there is no default."""
    if attr.default is None:
        return None
    return AttrValue(attr.type, attr.default)


def with_defaults(op: OpDefinition, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """Returns `attrs` with the op's defaults for attributes that the node does not have."""
    full = dict(attrs)
    for name, attr in op.attrs.items():
        if name not in full:
            value = default_value(attr)
            if value is not None:
                full[name] = value
    return full


def mismatch(registration: Registration, attrs: Mapping[str, AttrValue]) -> str:
    """Returns why a kernel does not match a node with `attrs`; empty if it matches."""
    for name, types in registration.constraints.items():
        value = attrs.get(name)
        if value is None:
            return f"a node without attribute {name}"
        if value.kind in _UNKNOWN:
            continue
        node_types = (value.value,) if value.kind == "type" else value.value
        if not isinstance(node_types, tuple):
            return f"a node whose attribute {name} is not a type"
        wrong = [t for t in node_types if t not in types]
        if wrong:
            return f"{name}={wrong[0]}"
    for name, allowed in registration.attr_constraints.items():
        value = attrs.get(name)
        if value is None:
            return f"a node without attribute {name}"
        if value.kind not in _UNKNOWN and value.value not in allowed:
            return f"{name}={value.value}"
    return ""


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _constrained(chosen: Registration, attrs: Mapping[str, AttrValue]) -> str:
    """Returns the node's attributes that a kernel's constraints refer to, for a message."""
    shown = []
    for name in (*chosen.constraints, *chosen.attr_constraints):
        value = attrs[name].value
        text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        shown.append(f"{name}={text}")
    return " ".join(shown)


def _best(
    candidates: Sequence[Registration], here: Sequence[Registration], attrs: Mapping[str, AttrValue]
) -> Match:
    kind, label = here[0].device, here[0].label
    of = f"of {_plural(len(here), f'{kind} kernel')}" + (f" labelled {label}" if label else "")
    if any(v.kind in _UNKNOWN for v in attrs.values()):
        return Match(tuple(candidates), f"{of}, all that a caller of the function may need")
    top = max(r.priority for r in candidates)
    best = [r for r in candidates if r.priority == top]
    if len(best) > 1:
        places = ", ".join(f"{r.clazz} ({r.file}:{r.line})" for r in best)
        return Match((), f"several kernels match with the same priority: {places}")
    chosen_by = _constrained(best[0], attrs)
    why = f"{of}, the one for {chosen_by or 'all types'}"
    lower = sorted(f"{r.clazz} ({r.priority})" for r in candidates if r.priority < top)
    if lower:
        why += f"; its priority {top} is higher than the priority of {', '.join(lower)}"
    return Match((best[0],), why)


def find(
    registrations: Iterable[Registration], device: str, attrs: Mapping[str, AttrValue]
) -> Match:
    """Finds the kernel for a node.

    Args:
      registrations: all registrations of the node's op.
      device: the device type, CPU.
      attrs: the node's attributes, including defaults.
    """
    label_attr = attrs.get("_kernel")
    label = str(label_attr.value) if label_attr is not None and label_attr.kind == "string" else ""
    reasons: list[str] = []
    for kind in (device, "DEFAULT"):
        here = [r for r in registrations if r.device == kind and r.label == label]
        why = [mismatch(r, attrs) for r in here]
        matching = [r for r, w in zip(here, why, strict=True) if not w]
        if matching:
            return _best(matching, here, attrs)
        reasons += [w for w in why if w]
    if reasons:
        return Match((), "no kernel for " + " or ".join(sorted(set(reasons))))
    if label:
        return Match((), f"no {device} kernel with the label {label!r}")
    return Match((), f"no {device} kernel")
