"""Size reports for tests."""

from tfcarve.size.origin import CORE, KERNELS, LINKER
from tfcarve.size.report import (
    VERSION,
    Definition,
    Entry,
    Kernel,
    Measure,
    Report,
    attributed_bytes,
)

RELU, OPS = "kernels/relu_op.cc", "ops/nn_ops.cc"
FLOAT, DOUBLE = "ReluOp<CPUDevice, float>", "ReluOp<CPUDevice, double>"


def report(
    *, double: int = 0, softmax: int = 0, stripped: int | None = None, platform: str = "linux_arm64"
) -> Report:
    """The report of a library for a.pb; with `double` bytes of a class, or `softmax` bytes of an op, for b.pb."""
    entries = [
        Entry(CORE, "core: graph", "", "tensorflow::Graph::Graph()", 5000),
        Entry(KERNELS, RELU, FLOAT, "ReluOp<CPUDevice, float>::Compute()", 700),
        Entry(KERNELS, OPS, "", "", 200),
        Entry(LINKER, ".dynsym", "", "", 100),
    ]
    kernels = [Kernel(RELU, FLOAT, ("Relu",), ("a.pb",))]
    definitions = [Definition(OPS, "Relu", ("a.pb",))]
    if double:
        entries.append(Entry(KERNELS, RELU, DOUBLE, "ReluOp<CPUDevice, double>::Compute()", double))
        kernels.append(Kernel(RELU, DOUBLE, ("Relu",), ("b.pb",)))
    if softmax:
        file = "kernels/softmax_op.cc"
        entries.append(Entry(KERNELS, file, "SoftmaxOp", "SoftmaxOp::Compute()", softmax))
        kernels.append(Kernel(file, "SoftmaxOp", ("Softmax",), ("b.pb",)))
        definitions.append(Definition(OPS, "Softmax", ("b.pb",)))
    whole = stripped if stripped is not None else sum(e.bytes for e in entries)
    sizes: dict[Measure, int] = {"stripped": whole, "text": whole * 9 // 10, "gzip": whole // 3}
    models = ("a.pb", "b.pb") if double or softmax else ("a.pb",)
    return Report(
        version=VERSION,
        platform=platform,
        sizes=sizes,
        attributed=attributed_bytes(entries),
        models=models,
        kernels=tuple(sorted(kernels)),
        definitions=tuple(sorted(definitions)),
        entries=tuple(sorted(entries)),
    )
