"""Which selected sources need a library that tfcarve does not build. Pure."""

from collections.abc import Mapping

from tfcarve.errors import Problem
from tfcarve.selection.need import Need, shown
from tfcarve.selection.selection import Selection

_KERNELS = "tensorflow/core/kernels"
_DATA = f"{_KERNELS}/data/experimental"

# A source that registers something, and the libraries that it or what it links include headers of.
NEEDED: Mapping[str, tuple[str, ...]] = {
    f"{_DATA}/data_service_dataset_op.cc": ("gRPC",),
    f"{_DATA}/data_service_ops.cc": ("gRPC",),
    f"{_DATA}/distributed_save_op.cc": ("gRPC",),
    f"{_DATA}/sql_dataset_op.cc": ("SQLite",),
    f"{_KERNELS}/debug_ops.cc": ("gRPC",),
    f"{_KERNELS}/image/decode_image_op.cc": ("giflib", "libjpeg", "libpng"),
    f"{_KERNELS}/image/encode_jpeg_op.cc": ("libjpeg",),
    f"{_KERNELS}/image/encode_png_op.cc": ("libpng",),
    f"{_KERNELS}/image/extract_jpeg_shape_op.cc": ("libjpeg",),
    f"{_KERNELS}/sobol_op.cc": ("sobol_data",),
    f"{_KERNELS}/sparse_cross_op.cc": ("HighwayHash",),
    f"{_KERNELS}/string_lower_op.cc": ("ICU",),
    f"{_KERNELS}/string_to_hash_bucket_op.cc": ("HighwayHash",),
    f"{_KERNELS}/string_upper_op.cc": ("ICU",),
    f"{_KERNELS}/summary_image_op.cc": ("libpng",),
    f"{_KERNELS}/summary_kernels.cc": ("SQLite",),
    f"{_KERNELS}/unicode_ops.cc": ("ICU",),
    f"{_KERNELS}/unicode_script_op.cc": ("ICU",),
}
_HINT = "have the app do what the op does, and cut it off the model"


def missing(selection: Selection) -> list[Problem]:
    """Returns a problem for each op of `selection` whose kernel needs a library that is not built here."""
    left = {
        x.op: f"left over ({x.kind}): removed by {x.transform}"
        for x in selection.leftovers
        if x.alone
    }
    found: dict[tuple[str, str], set[Need]] = {}
    for kernel in selection.kernels:
        if kernel.file in NEEDED:
            found.setdefault((kernel.file, kernel.op), set()).update(kernel.needed_by)
    return [
        Problem(
            f"op {op!r}: its kernel, in {file}, needs {', '.join(NEEDED[file])}",
            shown(sorted(needs)),
            left.get(op, _HINT),
        )
        for (file, op), needs in sorted(found.items())
    ]
