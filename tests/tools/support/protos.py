"""Encodes protocol buffers manually: the smallest messages that tests need."""

from collections.abc import Iterable, Mapping

TYPES = {"float32": 1, "float64": 2, "int32": 3, "string": 7, "int64": 9, "bool": 10, "float16": 19}


def varint(value: int) -> bytes:
    """Returns `value` as a varint."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """Returns a varint field."""
    return varint(field << 3) + varint(value)


def data(field: int, content: bytes | str) -> bytes:
    """Returns a field with bytes, a string or a message."""
    raw = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def shape(*dims: int) -> bytes:
    """Returns a TensorShapeProto."""
    return b"".join(data(2, number(1, d)) for d in dims)


def type_value(dtype: str) -> bytes:
    """Returns a type AttrValue."""
    return number(6, TYPES[dtype])


def types_value(*dtypes: str) -> bytes:
    """Returns an AttrValue with a packed list of types."""
    return data(1, data(6, b"".join(varint(TYPES[d]) for d in dtypes)))


def string_value(text: str) -> bytes:
    """Returns a string AttrValue."""
    return data(2, text)


def int_value(value: int) -> bytes:
    """Returns an integer AttrValue."""
    return number(3, value)


def bool_value(value: bool) -> bytes:
    """Returns a boolean AttrValue."""
    return number(5, int(value))


def function_value(name: str) -> bytes:
    """Returns a function AttrValue."""
    return data(10, data(1, name))


def placeholder_value(name: str) -> bytes:
    """Returns a placeholder AttrValue, which a function's caller sets."""
    return data(9, name)


def tensor_value(dtype: str, dims: Iterable[int], content: bytes = b"") -> bytes:
    """Returns a tensor AttrValue."""
    return data(8, number(1, TYPES[dtype]) + data(2, shape(*dims)) + data(4, content))


def node(
    name: str,
    op: str,
    attrs: Mapping[str, bytes] | None = None,
    device: str = "",
    inputs: Iterable[str] = (),
) -> bytes:
    """Returns a NodeDef."""
    out = data(1, name) + data(2, op) + b"".join(data(3, i) for i in inputs)
    if device:
        out += data(4, device)
    for key, value in (attrs or {}).items():
        out += data(5, data(1, key) + data(2, value))
    return out


def function(name: str, *nodes: bytes, returned: Iterable[str] = ()) -> bytes:
    """Returns a FunctionDef that returns the tensors `returned`."""
    rets = b"".join(data(4, data(1, f"r{i}") + data(2, r)) for i, r in enumerate(returned))
    return data(1, data(1, name)) + b"".join(data(3, n) for n in nodes) + rets


def graph(*nodes: bytes, functions: Iterable[bytes] = ()) -> bytes:
    """Returns a GraphDef."""
    library = b"".join(data(1, f) for f in functions)
    return b"".join(data(1, n) for n in nodes) + data(4, number(1, 1)) + data(2, library)


def signature(inputs: Iterable[str], outputs: Iterable[str]) -> bytes:
    """Returns a SignatureDef that feeds the tensors `inputs` and fetches `outputs`."""
    sides = ((1, inputs), (2, outputs))
    return b"".join(
        data(side, data(1, f"k{i}") + data(2, data(1, tensor)))
        for side, tensors in sides
        for i, tensor in enumerate(tensors)
    )


def meta_graph(
    graph_def: bytes, *tags: str, signatures: Mapping[str, bytes] | None = None
) -> bytes:
    """Returns a MetaGraphDef."""
    named = b"".join(data(5, data(1, k) + data(2, v)) for k, v in (signatures or {}).items())
    return data(1, b"".join(data(4, t) for t in tags)) + data(2, graph_def) + named


def saved_model(*meta_graphs: bytes) -> bytes:
    """Returns a SavedModel."""
    return number(1, 1) + b"".join(data(2, m) for m in meta_graphs)
