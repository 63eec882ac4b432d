"""Evaluates raw records: from C++ expressions to registrations."""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from tfcarve import dtypes
from tfcarve.registry import attr_spec
from tfcarve.registry.index import (
    Deprecation,
    Gradient,
    OpDefinition,
    Registration,
    Unresolved,
)
from tfcarve.registry.records import RawConstraint, RawGradient, RawKernel, RawOp, Records
from tfcarve.registry.values import Resolver, unresolved_names
from tfcarve.registry.values import Unresolved as NoValue

# Source: tensorflow/core/framework/op_kernel.cc (SetupOrDisableJit): kernels
# with this label are found as if they had no label.
_JIT_LABEL = "kJitKernelLabel"


def expressions(records: Iterable[Records]) -> set[str]:
    """Returns the names in `records` whose definitions must be found in the tree."""
    found: set[str] = set()
    for record in records:
        for kernel in record.kernels:
            found |= unresolved_names(
                (kernel.op, kernel.device, kernel.label, kernel.priority, *kernel.host_memory)
            )
            for constraint in kernel.constraints:
                found |= unresolved_names((constraint.attr, *constraint.types))
        for op in record.ops:
            found |= unresolved_names((op.name, *op.attrs, *op.inputs, *op.outputs, *op.deprecated))
        for gradient in record.gradients:
            found |= unresolved_names((gradient.op,))
    return found


def type_sets(preprocessed: str) -> dict[str, tuple[str, ...]]:
    """Parses NumberTypes, QuantizedTypes and RealNumberTypes in preprocessed framework/types.{h,cc}."""
    sets: dict[str, tuple[str, ...]] = {}
    pattern = re.compile(
        r"\b(?:k|DataTypeVector\s+)(NumberTypes|QuantizedTypes|RealNumberTypes)\b[^;{=]*[={]([^;}]*)[;}]"
    )
    for match in pattern.finditer(preprocessed):
        names = (dtypes.from_enum(word) for word in re.findall(r"\bDT_\w+", match.group(2)))
        found = {n for n in names if n}
        if found:  # a DataTypeSet is ordered by number
            sets.setdefault(match.group(1), tuple(sorted(found, key=dtypes.NUMBER_OF.__getitem__)))
    return sets


def _value(text: str) -> str | int | bool:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,19}", text):
        return int(text)
    raise NoValue(f"{text!r} is not a number, a string or a bool")


def _constraint(
    raw: RawConstraint, file: str, resolver: Resolver
) -> tuple[str, tuple[str, ...], tuple[str | int | bool, ...]]:
    attr = resolver.string(raw.attr, file)
    types = [resolver.cpp_type(t) for t in raw.cpp_types]
    for expression in raw.types:
        types += resolver.types(expression, file)
    values = tuple(resolver.string(v, file) if v.startswith('"') else _value(v) for v in raw.values)
    return attr, tuple(dict.fromkeys(types)), values


def kernel(raw: RawKernel, resolver: Resolver) -> Registration:
    """Evaluates a kernel registration; raises values.Unresolved if a value is unknown."""
    types: dict[str, tuple[str, ...]] = {}
    values: dict[str, tuple[str | int | bool, ...]] = {}
    for constraint in raw.constraints:
        attr, allowed, others = _constraint(constraint, raw.file, resolver)
        if others:
            values[attr] = others
        else:
            types[attr] = allowed
    label = ""
    if raw.label and raw.label.rpartition("::")[2].strip() != _JIT_LABEL:
        label = resolver.string(raw.label, raw.file)
    priority = _value(raw.priority) if raw.priority else 0
    return Registration(
        op=resolver.string(raw.op, raw.file),
        device=resolver.string(raw.device, raw.file),
        constraints=dict(sorted(types.items())),
        attr_constraints=dict(sorted(values.items())),
        label=label,
        priority=int(priority),
        host_memory=tuple(resolver.string(h, raw.file) for h in raw.host_memory),
        system=raw.system,
        clazz=raw.clazz,
        file=raw.file,
        line=raw.line,
    )


def _deprecation(raw: RawOp, resolver: Resolver) -> Deprecation | None:
    if not raw.deprecated:
        return None
    version, why = raw.deprecated
    return Deprecation(int(_value(version)), resolver.string(why, raw.file))


def op(raw: RawOp, resolver: Resolver, sets: Mapping[str, tuple[str, ...]]) -> OpDefinition:
    """Evaluates an op definition; raises values.Unresolved or attr_spec.SpecError."""
    attrs = dict(attr_spec.attr(resolver.string(a, raw.file), sets) for a in raw.attrs)
    inputs = tuple(attr_spec.argument(resolver.string(a, raw.file), attrs) for a in raw.inputs)
    outputs = tuple(attr_spec.argument(resolver.string(a, raw.file), attrs) for a in raw.outputs)
    # Source: op_def_builder.cc (FinalizeInputOrOutput): an attribute that gives an argument's length is at least 1.
    for name in {a.number_attr or a.type_list_attr for a in inputs + outputs}:
        if name in attrs and attrs[name].minimum is None:
            attrs[name] = replace(attrs[name], minimum=1)
    # Also FinalizeInputOrOutput: an argument of type resource makes the op stateful.
    stateful = raw.stateful or any(a.type == "resource" for a in inputs + outputs)
    return OpDefinition(
        resolver.string(raw.name, raw.file),
        raw.file,
        raw.line,
        raw.system,
        stateful,
        attrs,
        inputs,
        outputs,
        _deprecation(raw, resolver),
    )


def gradient(raw: RawGradient, resolver: Resolver) -> Gradient:
    """Evaluates a gradient; raises values.Unresolved if a value is unknown."""
    function = "" if raw.function == "nullptr" else raw.function
    return Gradient(resolver.string(raw.op, raw.file), function, raw.file, raw.line)


def resolve(
    records: Iterable[Records], resolver: Resolver, sets: Mapping[str, tuple[str, ...]]
) -> tuple[list[Registration], list[OpDefinition], list[Gradient], list[Unresolved]]:
    """Evaluates all raw records; returns sorted values without duplicates."""
    registrations: set[Registration] = set()
    ops: dict[str, OpDefinition] = {}
    gradients: set[Gradient] = set()
    unresolved: set[Unresolved] = set()
    for record in records:
        for raw in record.kernels:
            try:
                registrations.add(kernel(raw, resolver))
            except NoValue as error:
                unresolved.add(Unresolved(raw.file, raw.line, f"kernel {raw.op}: {error}"))
        for raw_op in record.ops:
            try:
                definition = op(raw_op, resolver, sets)
                ops.setdefault(definition.name, definition)
            except (NoValue, attr_spec.SpecError) as error:
                unresolved.add(Unresolved(raw_op.file, raw_op.line, f"op {raw_op.name}: {error}"))
        for raw_gradient in record.gradients:
            try:
                gradients.add(gradient(raw_gradient, resolver))
            except NoValue as error:
                unresolved.add(
                    Unresolved(
                        raw_gradient.file,
                        raw_gradient.line,
                        f"gradient of {raw_gradient.op}: {error}",
                    )
                )
    return (
        sorted(registrations, key=Registration.sort_key),
        sorted(ops.values(), key=lambda o: o.name),
        sorted(gradients, key=lambda g: (g.op, g.file, g.line, g.function)),
        sorted(unresolved, key=lambda u: (u.file, u.line, u.why)),
    )
