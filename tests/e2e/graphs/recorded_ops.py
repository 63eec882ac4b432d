"""Ops with inputs and outputs from TensorFlow's own Python tests, as graphs."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow, pinned
from tfcarve.releases import known


@dataclass(frozen=True)
class RecordedTensor:
    """An input or an output.

    Attributes:
      dtype: the number of TensorFlow's data type.
      values: an array; quantized types have arrays of integers.
    """

    dtype: int
    values: Any


@dataclass(frozen=True)
class RecordedOp:
    """An op that a test ran.

    Attributes:
      node: a serialized NodeDef without inputs.
      inputs: in the order of the op's definition.
      outputs: likewise.
    """

    node: bytes
    inputs: Sequence[RecordedTensor]
    outputs: Sequence[RecordedTensor]

    def definition(self) -> Any:
        """Returns the NodeDef, with the name "recorded"."""
        from tensorflow.core.framework import node_def_pb2

        return node_def_pb2.NodeDef.FromString(self.node)

    def kernel(self) -> tuple[str, ...]:
        """Returns what selects the kernel: the op and its attributes that are types."""
        node = self.definition()
        types = (f"{key}={value.type}" for key, value in node.attr.items() if value.type)
        return (node.op, *sorted(types))


def record(module: str, ops: Iterable[str], folder: Path) -> list[RecordedOp]:
    """Runs a test of the pinned TensorFlow in full TensorFlow; what was recorded counts, not whether the test passes.

    Args:
      module: its name, for example tensorflow.python.kernel_tests.nn_ops.conv_ops_test.
      ops: the types of the ops to return.
      folder: for a file.

    Raises:
      RuntimeError: the test could not be run.
    """
    output = folder / "recorded.pickle"
    command = [
        sys.executable,
        "-m",
        "e2e.graphs.record_ops",
        pinned.tree(known.release()),
        module,
        output,
        *ops,
    ]
    # With oneDNN, a convolution of no images has an output of the input's shape.
    environment = {
        **os.environ,
        **full_tensorflow.SETTINGS,
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{module} could not be run: {done.stderr[-2000:]}")
    recorded: list[RecordedOp] = pickle.loads(output.read_bytes())
    return recorded


def graph(ops: Sequence[RecordedOp]) -> Any:
    """Returns a GraphDef with ops 0, 1, ..., whose inputs are placeholders.

    The outputs of op `i` are `i:0`, `i:1` ..., its inputs `i_0`, `i_1` ...
    """
    import tensorflow as tf
    from tensorflow.core.framework import graph_pb2

    made = graph_pb2.GraphDef()
    made.versions.producer = tf.version.GRAPH_DEF_VERSION
    for number, op in enumerate(ops):
        node = op.definition()
        node.name = str(number)
        for index, tensor in enumerate(op.inputs):
            fed = made.node.add(name=f"{number}_{index}", op="Placeholder")
            fed.attr["dtype"].type = tensor.dtype
            node.input.append(fed.name)
        made.node.append(node)
    return made
