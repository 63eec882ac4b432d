"""ops_to_register.h, for builds of TensorFlow outside tfcarve: SELECTIVE_REGISTRATION with a single header."""

from tfcarve.emit.templates import fill
from tfcarve.selection.selection import Selection


def header(selection: Selection) -> bytes:
    """Returns the header that registers exactly the selected ops and kernels.

    System kernels are omitted: they always register themselves, and listing them would make g++ evaluate op names
    that are not constant expressions (function_ops.cc).
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
    """Returns the header that registers every op and kernel that is compiled."""
    return fill("ops_to_register_all.h.j2")
