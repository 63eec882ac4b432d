"""The classic ops_to_register.h, for those who build TensorFlow themselves."""

from tfcarve.emit.templates import fill
from tfcarve.selection.selection import Selection


def header(selection: Selection) -> bytes:
    """Returns the header that registers what is selected and nothing else.

    Kernels that register themselves are left out: listed, they would make g++
    look at op names that are no constant expressions (function_ops.cc).
    """
    kernels = [k for k in selection.kernels if not k.system]
    return fill(
        "ops_to_register.h.j2",
        tensorflow=selection.tensorflow.version,
        ops=sorted({o.name for o in selection.ops} | {k.op for k in kernels}),
        classes=sorted({k.clazz for k in kernels}),
        gradients=bool(selection.gradient_files),
    )


def header_for_all() -> bytes:
    """Returns the header that leaves nothing out: for the same build, with everything in it."""
    return fill("ops_to_register_all.h.j2")
