"""Selects Inception v3, compared with TensorFlow's tool, a graph of 2 GB and a graph of 200,000 nodes."""

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Row, in_turns, run, seconds, size, times_less
from tfcarve.models import wire
from tfcarve.models.mapped_file import mapped

_MAKE_INCEPTION = """
import sys
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
tf.keras.utils.set_random_seed(1)
model = tf.keras.applications.InceptionV3(weights=None)
call = tf.function(lambda x: model(x, training=False))
function = call.get_concrete_function(tf.TensorSpec([1, 299, 299, 3], tf.float32))
graph = convert_variables_to_constants_v2(function).graph.as_graph_def()
open(sys.argv[1], "wb").write(graph.SerializeToString())
"""


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _node(name: str, op: str) -> bytes:
    attr = _field(1, b"T") + _field(2, b"\x30\x01")
    return _field(1, _field(1, name.encode()) + _field(2, op.encode()) + _field(5, attr))


def _many_nodes(path: Path, nodes: int) -> None:
    path.write_bytes(b"".join(_node(f"layer/node_{i}", "Relu") for i in range(nodes)))


def _large(path: Path, values: int) -> None:
    """Writes a Const of `values` bytes as a sparse file."""

    def enclose(number: int, head: bytes, rest: int) -> bytes:
        return _varint(number << 3 | 2) + _varint(len(head) + rest) + head

    tensor = enclose(8, b"\x08\x01" + _varint(4 << 3 | 2) + _varint(values), values)
    entry = _field(1, b"value") + enclose(2, tensor, values)
    dtype = _field(5, _field(1, b"dtype") + _field(2, b"\x30\x01"))
    node = _field(1, b"weights") + _field(2, b"Const") + dtype + enclose(5, entry, values)
    head = enclose(1, node, values)
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(len(head) + values)
        stream.seek(0, 2)
        stream.write(_node("relu", "Relu"))


def _longest_node(path: Path) -> int:
    data = mapped(path)
    return max(b - a for number, _, a, b in wire.fields(data, 0, len(data)) if number == 1)


def rows(scratch: Path) -> list[Row]:
    """Measures, with the index.json in `scratch`."""
    graph = scratch / "inception_v3.pb"
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3"}
    if not graph.exists():
        run([sys.executable, "-c", _MAKE_INCEPTION, str(graph)], quiet)
    tfcarve = [
        sys.executable,
        "-m",
        "tfcarve",
        "select",
        "--index",
        str(scratch / "index.json"),
        "-o",
        str(scratch / "selection.json"),
    ]
    reference = [
        sys.executable,
        "-m",
        "tensorflow.python.tools.print_selective_registration_header",
        f"--graphs={graph}",
    ]
    usage, reference_usage = in_turns(5, ([*tfcarve, str(graph)], {}), (reference, quiet))
    short = scratch / "relu.json"
    short.write_text('[["Relu", null]]', encoding="utf-8")
    minimum = run([*tfcarve, str(short)])
    large, many = scratch / "large.pb", scratch / "many.pb"
    _large(large, 2_000_000_000)
    _many_nodes(many, 200_000)
    big = run([*tfcarve, str(large)])
    lots = run([*tfcarve, str(many)])
    subprocess.run([*tfcarve, str(graph)], check=True)  # for compile_unit
    megabytes = graph.stat().st_size / 1e6
    return [
        Row(f"selection for Inception v3 ({megabytes:.0f} MB), whole process (reference: print_selective_registration_header)", seconds(usage.wall), seconds(reference_usage.wall), times_less(usage.wall, reference_usage.wall)),
        Row("the same, CPU time", seconds(usage.cpu), seconds(reference_usage.cpu), times_less(usage.cpu, reference_usage.cpu)),
        Row("the same, peak memory", size(usage.peak), size(reference_usage.peak), times_less(usage.peak, reference_usage.peak)),
        Row("the same, beyond the peak memory of a selection for one op", size(usage.peak - minimum.peak), "", f"longest node {size(_longest_node(graph))}"),
        Row("selection for a graph of 2 GB", seconds(big.wall), "", f"peak {size(big.peak)}"),
        Row("selection for a graph of 200,000 nodes", seconds(lots.wall), "", f"peak {size(lots.peak)}"),
    ]  # fmt: skip
