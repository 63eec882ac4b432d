"""Which kernel TensorFlow's own lookup picks for a node.

Source: tensorflow/core/framework/op_kernel.cc (FindKernelRegistration) and
kernel_def_util.cc (KernelAttrsMatch). Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.models.node_use import AttrValue
from tfcarve.registry.attr_spec import Attr
from tfcarve.registry.index import OpDefinition, Registration

_UNKNOWN = frozenset(("placeholder",))


@dataclass(frozen=True, slots=True)
class Found:
    """What a lookup gave.

    Attributes:
      kernels: the kernel; several where an attribute is left open to a caller; none.
      why: why this one and no other; of none, why there is none.
    """

    kernels: tuple[Registration, ...]
    why: str


def default_value(attr: Attr) -> AttrValue | None:
    """Returns the default of `attr` as a node's attribute, or None where there is none."""
    if attr.default is None:
        return None
    value = tuple(attr.default) if isinstance(attr.default, list) else attr.default
    return AttrValue(attr.type, value)


def with_defaults(op: OpDefinition, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """Returns `attrs` with the op's defaults where the node leaves an attribute out."""
    full = dict(attrs)
    for attr in op.attrs:
        if attr.name not in full:
            value = default_value(attr)
            if value is not None:
                full[attr.name] = value
    return full


def mismatch(registration: Registration, attrs: Mapping[str, AttrValue]) -> str:
    """Returns what of a node with `attrs` `registration` is not for; empty where it is for it."""
    for name, types in registration.constraints:
        value = attrs.get(name)
        if value is None:
            return f"a node without attribute {name}"
        if value.kind in _UNKNOWN:
            continue
        asked = (value.value,) if value.kind == "type" else value.value
        if not isinstance(asked, tuple):
            return f"a node whose attribute {name} is no type"
        wrong = [t for t in asked if t not in types]
        if wrong:
            return f"{name}={wrong[0]}"
    for name, allowed in registration.attr_constraints:
        value = attrs.get(name)
        if value is None:
            return f"a node without attribute {name}"
        if value.kind not in _UNKNOWN and value.value not in allowed:
            return f"{name}={value.value}"
    return ""


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _asked(chosen: Registration, attrs: Mapping[str, AttrValue]) -> str:
    """Returns the node's attributes that chose a kernel, as far as it looks at any."""
    shown = []
    for name in (*dict(chosen.constraints), *dict(chosen.attr_constraints)):
        value = attrs[name].value
        text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        shown.append(f"{name}={text}")
    return " ".join(shown)


def _best(
    candidates: Sequence[Registration], here: Sequence[Registration], attrs: Mapping[str, AttrValue]
) -> Found:
    kind, label = here[0].device, here[0].label
    of = f"of {_plural(len(here), f'{kind} kernel')}" + (f" labelled {label}" if label else "")
    if any(v.kind in _UNKNOWN for v in attrs.values()):
        return Found(tuple(candidates), f"{of}, all that a caller of the function may ask for")
    top = max(r.priority for r in candidates)
    best = [r for r in candidates if r.priority == top]
    if len(best) > 1:
        places = ", ".join(f"{r.clazz} ({r.file}:{r.line})" for r in best)
        return Found((), f"several kernels match with the same priority: {places}")
    asked = _asked(best[0], attrs)
    why = f"{of}, the one for {asked}" if asked else of + ", the one for all types"
    lower = sorted(f"{r.clazz} ({r.priority})" for r in candidates if r.priority < top)
    if lower:
        why += f"; its priority {top} goes before {', '.join(lower)}"
    return Found((best[0],), why)


def find(
    registrations: Iterable[Registration], device: str, attrs: Mapping[str, AttrValue]
) -> Found:
    """Looks up the kernel for a node.

    Args:
      registrations: all registrations of the node's op.
      device: the device type, CPU.
      attrs: the node's attributes, defaults filled in.
    Returns: the kernels, or none; and why.
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
        return Found((), "no kernel for " + " or ".join(sorted(set(reasons))))
    if label:
        return Found((), f"no {device} kernel with the label {label!r}")
    return Found((), f"no {device} kernel")
