"""Which of TensorFlow's sources can be part of a carved library, and why the others cannot. Pure."""

import functools

from tfcarve.build_files.core import ON_DEMAND, UNIT_FOLDERS

# Where kernels and ops are in trees of TensorFlow 1 too.
_FOLDERS = tuple(f"{folder}/" for folder in (*UNIT_FOLDERS, "tensorflow/contrib"))
_TREE = "tensorflow/"
_TPU = "it is for TPUs"
_REASONS = (
    ("tensorflow/c/", "it belongs to a test"),
    ("tensorflow/cc/", "it belongs to a test"),
    ("tensorflow/compiler/", "it belongs to the XLA compiler"),
    ("tensorflow/core/distributed_runtime/", "it works over several hosts"),
    ("tensorflow/core/grappler/", "it is for GPUs"),
    ("tensorflow/core/runtime_fallback/", "it belongs to the TFRT runtime"),
    ("tensorflow/core/tfrt/", "it belongs to the TFRT runtime"),
    ("tensorflow/core/tpu/", _TPU),
    ("tensorflow/distribute/", "it works over several hosts"),
    ("tensorflow/dtensor/", "it works over several hosts"),
    ("tensorflow/python/", "it belongs to Python"),
)
_DESCRIPTORS = "it reads the descriptors of messages, which protobuf's lite runtime does not have"
_NAMES = "it names ops by constants that a compiler cannot read, and so cannot select by"
_SOURCES = {
    "tensorflow/core/kernels/data/experimental/assert_prev_dataset_op.cc": _DESCRIPTORS,
    "tensorflow/core/kernels/data/multi_device_iterator_ops.cc": _NAMES,
    "tensorflow/core/kernels/decode_proto_op.cc": _DESCRIPTORS,
    "tensorflow/core/kernels/encode_proto_op.cc": _DESCRIPTORS,
    "tensorflow/core/ops/tpu_embedding_load_retrieve_ops.cc": _TPU,
    "tensorflow/core/ops/tpu_embedding_ops.cc": _TPU,
}
_CORE = "it is no kernel source of its own: what it belongs to is compiled without a look at what models need"


@functools.cache  # asked for each node
def why_not(file: str) -> str:
    """Returns why the source `file`, relative to the tree, can't be in a library; empty where it can.

    A custom op's source, which is outside of the tree, always can.
    """
    if file in _SOURCES:
        return _SOURCES[file]
    if not file.startswith(_TREE) or file.startswith(_FOLDERS) or file in ON_DEMAND:
        return ""
    return next((why for folder, why in _REASONS if file.startswith(folder)), _CORE)
