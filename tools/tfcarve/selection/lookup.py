"""Questions to an index, each worked out once."""

from tfcarve.models.node_use import NodeUse
from tfcarve.registry.index import IndexFile, KernelIndex, OpDefinition, Registration
from tfcarve.releases import known
from tfcarve.selection import kernel_match

DEVICE = "CPU"
# Kernels registered for this device run on any.
ANY = "DEFAULT"


def registering_sources(index: KernelIndex) -> frozenset[str]:
    """Returns the sources that register an op, a gradient, or a kernel for the device."""
    kernels = {r.file for r in index.registrations if r.device in (DEVICE, ANY)}
    return frozenset(kernels | {o.file for o in index.ops} | {g.file for g in index.gradients})


class Lookup:
    """Answers for one index, each question worked out once."""

    def __init__(self, index: IndexFile) -> None:
        self._index = index
        self.release = known.nearest(index.tensorflow.version)
        self._ops: dict[str, OpDefinition | None] = {}
        self._registrations: dict[str, tuple[Registration, ...]] = {}
        self._relevant: dict[str, frozenset[str]] = {}
        self._found: dict[object, kernel_match.Found] = {}

    def op(self, name: str) -> OpDefinition | None:
        """Returns the definition of an op, or None."""
        if name not in self._ops:
            self._ops[name] = self._index.op(name)
        return self._ops[name]

    def registrations(self, op: str) -> tuple[Registration, ...]:
        """Returns the registrations for an op, on all devices."""
        if op not in self._registrations:
            found = self._index.registrations(op)
            self._registrations[op] = found
            names = {a for r in found for a, _ in (*r.constraints, *r.attr_constraints)}
            self._relevant[op] = frozenset(names | {"_kernel"})
        return self._registrations[op]

    def own(self, op: str) -> list[Registration]:
        """Returns those for the device, those for any where there are none."""
        here = self.registrations(op)
        return [r for r in here if r.device == DEVICE] or [r for r in here if r.device == ANY]

    def kernel(self, use: NodeUse, op: OpDefinition) -> kernel_match.Found:
        """Returns the kernel for a node with the op's definition."""
        registrations = self.registrations(use.op)
        relevant = self._relevant[use.op]
        attrs = {name: value for name, value in use.attrs.items() if name in relevant}
        key = (use.op, tuple(sorted((n, v.kind, v.value) for n, v in attrs.items())))
        if key not in self._found:
            self._found[key] = kernel_match.find(
                registrations, DEVICE, kernel_match.with_defaults(op, attrs)
            )
        return self._found[key]

    def acts(self, name: str) -> bool:
        """Says whether an op may change what outlasts a step: it takes a reference, or gives nothing."""
        op = self.op(name)
        if op is None:
            return True
        refers = any(a.ref or a.type == "resource" for a in op.inputs)
        return refers or (op.stateful and not op.outputs)

    def gives_truth(self, name: str) -> bool:
        """Says whether all that an op gives are truth values, whatever its attributes."""
        op = self.op(name)
        return op is not None and bool(op.outputs) and all(a.type == "bool" for a in op.outputs)
