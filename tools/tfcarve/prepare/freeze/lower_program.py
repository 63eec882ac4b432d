"""The program that runs TensorFlow's function optimizer; tfcarve.full_tensorflow runs it in a child process.

usage: lower_program IN OUT: reads a MetaGraphDef and writes a GraphDef.
Source: tensorflow/core/grappler/optimizers/function_optimizer.cc, which lowers nodes with an attribute.
"""

import sys
from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
from tensorflow.python.grappler import tf_optimizer

from tfcarve.prepare.freeze.reason import reason


def optimized(data: bytes) -> bytes:
    """Returns the GraphDef that the optimizer makes of a MetaGraphDef."""
    config = config_pb2.ConfigProto()
    rewriting = config.graph_options.rewrite_options
    rewriting.optimizers.append("function")
    rewriting.min_graph_nodes = -1
    meta_graph = meta_graph_pb2.MetaGraphDef.FromString(data)
    created: bytes = tf_optimizer.OptimizeGraph(config, meta_graph).SerializeToString()
    return created


def main(source: str, result: str) -> None:
    """Lowers the graph in the file `source`."""
    try:
        Path(result).write_bytes(optimized(Path(source).read_bytes()))
    except (tf.errors.OpError, ValueError) as error:
        sys.exit(reason(error))  # the last line on standard error is the message


if __name__ == "__main__":
    main(*sys.argv[1:])
