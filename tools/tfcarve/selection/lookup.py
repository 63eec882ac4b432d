"""Queries on an index, for the device that libraries are built for."""

from tfcarve.models.node_use import NodeUse
from tfcarve.newer import data as newer_data
from tfcarve.newer.versions import order, release_of
from tfcarve.registry.index import KernelIndex, OpDefinition, Registration
from tfcarve.releases.release import Release
from tfcarve.selection import kernel_match

DEVICE = "CPU"
# The device type of kernels that run on any device.
ANY = "DEFAULT"


def registering_sources(index: KernelIndex) -> frozenset[str]:
    """Returns the sources that register an op, a gradient, or a kernel for the device."""
    kernels = {r.file for r in index.registrations if r.device in (DEVICE, ANY)}
    return frozenset(kernels | {o.file for o in index.ops} | {g.file for g in index.gradients})


class Lookup:
    """Queries on one index. Kernel lookups are cached: many nodes have the same op and attributes."""

    def __init__(self, index: KernelIndex, release: Release) -> None:
        """`release` is the release of the index, or the default release if tfcarve does not build the index's release."""
        self._index = index
        self.version = index.tensorflow.version
        self.release = release
        self.newer = newer_data.load(self.release)
        self._constrained: dict[str, frozenset[str]] = {}
        self._matches: dict[object, kernel_match.Match] = {}

    def op(self, name: str) -> OpDefinition | None:
        """Returns the definition of an op, or None."""
        return self._index.op(name)

    def first_release(self, op: str) -> str:
        """Returns the first release that has an op, if it is later than the index's release; else ""."""
        first = self.newer.ops.get(op, "")
        return first if order(first) > order(release_of(self.version)) else ""

    def registrations(self, op: str) -> tuple[Registration, ...]:
        """Returns the kernels of an op, for all devices."""
        return self._index.registrations_of(op)

    def on_device(self, op: str) -> list[Registration]:
        """Returns the kernels of an op for the device. If the device has no kernel, returns the kernels for any device."""
        registrations = self.registrations(op)
        return [r for r in registrations if r.device == DEVICE] or [
            r for r in registrations if r.device == ANY
        ]

    def kernel(self, use: NodeUse, op: OpDefinition) -> kernel_match.Match:
        """Returns the kernel for a node whose op has the definition `op`."""
        constrained = self._constrained_attrs(use.op)
        attrs = {name: value for name, value in use.attrs.items() if name in constrained}
        key = (use.op, tuple(sorted((n, v.kind, v.value) for n, v in attrs.items())))
        if key not in self._matches:
            self._matches[key] = kernel_match.find(
                self.registrations(use.op), DEVICE, kernel_match.with_defaults(op, attrs)
            )
        return self._matches[key]

    def _constrained_attrs(self, op: str) -> frozenset[str]:
        """Returns the attributes that the choice of a kernel depends on."""
        if op not in self._constrained:
            found = self.registrations(op)
            names = {a for r in found for a in (*r.constraints, *r.attr_constraints)}
            self._constrained[op] = frozenset(names | {"_kernel"})
        return self._constrained[op]

    def has_side_effects(self, name: str) -> bool:
        """Returns whether an op may change state: it takes a reference or a resource, or has no output."""
        op = self.op(name)
        if op is None:
            return True
        takes_reference = any(a.ref or a.type == "resource" for a in op.inputs)
        return takes_reference or (op.stateful and not op.outputs)

    def returns_bool(self, name: str) -> bool:
        """Returns whether all outputs of an op are bool for any attributes."""
        op = self.op(name)
        return op is not None and bool(op.outputs) and all(a.type == "bool" for a in op.outputs)
