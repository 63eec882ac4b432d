"""Which of TensorFlow's sources can be in a carved library, and why others cannot. Pure."""

import functools

from tfcarve.build_files.core import ON_DEMAND, UNIT_FOLDERS

# The folders with kernels and ops, including those of TensorFlow 1.
_FOLDERS = tuple(f"{folder}/" for folder in (*UNIT_FOLDERS, "tensorflow/contrib"))
_TREE = "tensorflow/"
_TPU = "it is for TPUs only"
_REASONS = (
    ("tensorflow/c/", "it belongs to a test"),
    ("tensorflow/cc/", "it belongs to a test"),
    ("tensorflow/compiler/", "it belongs to the XLA compiler"),
    ("tensorflow/core/distributed_runtime/", "it is for distributed execution"),
    ("tensorflow/core/grappler/", "it is for GPUs only"),
    ("tensorflow/core/runtime_fallback/", "it belongs to the TFRT runtime"),
    ("tensorflow/core/tfrt/", "it belongs to the TFRT runtime"),
    ("tensorflow/core/tpu/", _TPU),
    ("tensorflow/distribute/", "it is for distributed execution"),
    ("tensorflow/dtensor/", "it is for distributed execution"),
    ("tensorflow/python/", "it belongs to Python"),
)
_DESCRIPTORS = "it uses message descriptors, which protobuf's lite runtime does not have"
_NAMES = "it names ops by constants that are not constant expressions, so they cannot be selected at compile time"
_SOURCES = {
    "tensorflow/core/kernels/data/experimental/assert_prev_dataset_op.cc": _DESCRIPTORS,
    "tensorflow/core/kernels/data/multi_device_iterator_ops.cc": _NAMES,
    "tensorflow/core/kernels/decode_proto_op.cc": _DESCRIPTORS,
    "tensorflow/core/kernels/encode_proto_op.cc": _DESCRIPTORS,
    "tensorflow/core/ops/tpu_embedding_load_retrieve_ops.cc": _TPU,
    "tensorflow/core/ops/tpu_embedding_ops.cc": _TPU,
}
_CORE = "it is not a kernel source but part of the core, which is compiled without a selection"


@functools.cache  # called for each node
def why_not(file: str) -> str:
    """Returns why the source `file`, relative to the tree, cannot be in a library; empty if it can.

    A custom op's source, which is outside of the tree, always can.
    """
    if file in _SOURCES:
        return _SOURCES[file]
    if not file.startswith(_TREE) or file.startswith(_FOLDERS) or file in ON_DEMAND:
        return ""
    return next((why for folder, why in _REASONS if file.startswith(folder)), _CORE)
