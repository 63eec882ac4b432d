"""The settings of TensorFlow's sessions that compute values for comparison."""


def session_config(threads: int) -> bytes:
    """Returns a ConfigProto without optimizations that runs one op at a time, each with `threads` threads.

    Source of the field numbers: tensorflow/core/protobuf/{config,rewriter_config}.proto.
    """
    optimizer = b"\x18" + b"\xff" * 9 + b"\x01"  # opt_level L0
    rewriter = b"\x98\x01\x01"  # disable_meta_optimizer
    graph = b"\x1a" + bytes([len(optimizer)]) + optimizer + b"\x52\x03" + rewriter
    return bytes([0x10, threads, 0x28, 1, 0x52, len(graph)]) + graph
