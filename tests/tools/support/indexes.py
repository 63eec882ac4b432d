"""A small index for tests of selections and emitters."""

from tfcarve.op_definition import Attr
from tfcarve.registry import index
from tfcarve.registry.index import (
    KernelIndex,
    OpDefinition,
    Registration,
    TensorflowFacts,
    Unresolved,
)

KERNELS = "tensorflow/core/kernels/"
OPS = "tensorflow/core/ops/some_ops.cc"


def registration(
    op: str,
    clazz: str,
    device: str = "CPU",
    label: str = "",
    priority: int = 0,
    system: bool = False,
    file: str = "",
    values: dict[str, tuple[str | int | bool, ...]] | None = None,
    **types: tuple[str, ...],
) -> Registration:
    """Returns a registration; `types` are the type constraints."""
    return Registration(
        op=op,
        device=device,
        constraints=types,
        attr_constraints=values or {},
        label=label,
        priority=priority,
        host_memory=(),
        system=system,
        clazz=clazz,
        file=KERNELS + (file or f"{op.lower().lstrip('_')}_op.cc"),
        line=1,
    )


def op(name: str, *, system: bool = False, **attrs: Attr) -> OpDefinition:
    """Returns the definition of an op with attributes, and without inputs and outputs."""
    return OpDefinition(name, OPS, 1, system, False, attrs)


_T = Attr("type")

INDEX = KernelIndex(
    TensorflowFacts("9.8.7", "ab" * 32, ("A", "B")),
    (
        registration("AccumulateNV2", "Gpu", "GPU"),
        registration("AddN", "AddNOp<float>", T=("float32",)),
        registration("AddN", "AddNOp<double>", T=("float64",)),
        registration("Const", "ConstantOp"),
        registration("Const", "HostConstantOp", "DEFAULT"),
        registration("Enter", "EnterOp", "DEFAULT", T=("float32",)),
        registration("Enter", "EnterOp", "DEFAULT", T=("float64",)),
        registration("NoOp", "NoOp", "DEFAULT", system=True),
        registration("Relu", "ReluOp<float>", T=("float32",)),
        registration("Relu", "ReluOp<double>", T=("float64",)),
        registration("Relu", "ReluOp<GPU>", "GPU", T=("float16",)),
        registration("Relu", "FastReluOp", label="fast"),
        registration("Relu6", "Relu6Op<float>", file="relu_op.cc", T=("float32",)),
        registration("_Arg", "ArgOp", system=True, file="function_ops.cc"),
    ),
    (
        op("AccumulateNV2", T=_T),
        op("AddN", T=_T),
        op("Const", dtype=Attr("type", "float32")),
        op("Enter", T=_T),
        op("NoKernel"),
        op("NoOp", system=True),
        op("Relu", T=Attr("type", "float32")),
        op("Relu6", T=Attr("type", "float32")),
        op("While"),
        op("_Arg", T=Attr("type", "float32")),
    ),
    (),
    {KERNELS + "relu_op.cc": (KERNELS + "relu_helper.cc",)},
    (Unresolved("odd.cc", 7, 'kernel "NoKernel": hard'),),
)


def index_file() -> KernelIndex:
    """Returns INDEX, decoded from JSON."""
    return index.parse(INDEX.to_json(), "index.json")
