"""Encodes the objects of SavedModels manually."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

import protos


def spec(name: str, dtype: str, *dims: int) -> bytes:
    """Returns a StructuredValue with a TensorSpec."""
    shape = protos.data(2, protos.shape(*dims))
    return protos.data(33, protos.data(1, name) + shape + protos.number(3, protos.TYPES[dtype]))


def composite(name: str, components: int) -> bytes:
    """Returns a StructuredValue with the type of a composite tensor."""
    return protos.data(34, protos.number(1, 4) + protos.data(3, name) + protos.number(4, components))  # fmt: skip


def value(constant: bool | int | float | str | None) -> bytes:
    """Returns a StructuredValue with a value that is not a tensor."""
    if constant is None:
        return protos.data(1, b"")
    if isinstance(constant, bool):
        return protos.number(14, int(constant))
    if isinstance(constant, int):
        return protos.number(12, (constant << 1) ^ (constant >> 63))
    if isinstance(constant, float):
        return protos.varint(11 << 3 | 1) + struct.pack("<d", constant)
    return protos.data(13, constant)


def listed(*values: bytes, number: int = 52) -> bytes:
    """Returns a StructuredValue with a tuple, or with a list if `number` is 51."""
    return protos.data(number, b"".join(protos.data(1, each) for each in values))


def mapping(values: Mapping[str, bytes]) -> bytes:
    """Returns a StructuredValue with a dict."""
    entries = (protos.data(1, key) + protos.data(2, each) for key, each in values.items())
    return protos.data(53, b"".join(protos.data(1, entry) for entry in entries))


def named_tuple(name: str, values: Mapping[str, bytes]) -> bytes:
    """Returns a StructuredValue with a named tuple."""
    entries = (protos.data(1, key) + protos.data(2, each) for key, each in values.items())
    return protos.data(54, protos.data(1, name) + b"".join(protos.data(2, e) for e in entries))


def arguments(*positional: bytes, **keywords: bytes) -> bytes:
    """Returns the inputs of a concrete function."""
    return listed(listed(*positional), mapping(keywords))


def child(name: str, number: int) -> bytes:
    """Returns a child of an object."""
    return protos.data(1, protos.number(1, number) + protos.data(2, name))


def user_object(identifier: str = "_generic_user_object", **children: int) -> bytes:
    """Returns a SavedObject that is not one of TensorFlow's."""
    inner = b"".join(child(name, number) for name, number in children.items())
    return inner + protos.data(4, protos.data(1, identifier))


def function(*concrete: str, arguments: Iterable[str] = (), is_method: bool = False) -> bytes:
    """Returns a SavedObject that is a function; `arguments` are the names of its Python code's."""
    names = listed(*(value(name) for name in arguments), number=51)
    full = protos.data(1, named_tuple("FullArgSpec", {"args": names, "varargs": value(None)}))
    described = full + (protos.number(2, 1) if is_method else b"")
    return protos.data(6, b"".join(protos.data(1, c) for c in concrete) + protos.data(2, described))


def bare_function(concrete: str) -> bytes:
    """Returns a SavedObject that is a concrete function."""
    return protos.data(8, protos.data(1, concrete))


def concrete_function(inputs: bytes, outputs: bytes, captures: Iterable[int] = ()) -> bytes:
    """Returns a SavedConcreteFunction."""
    packed = protos.data(2, b"".join(map(protos.varint, captures)))
    return packed + protos.data(3, inputs) + protos.data(4, outputs)


def graph(objects: Iterable[bytes], functions: Mapping[str, bytes]) -> bytes:
    """Returns a SavedObjectGraph."""
    entries = (protos.data(1, name) + protos.data(2, each) for name, each in functions.items())
    return b"".join(protos.data(1, each) for each in objects) + b"".join(
        protos.data(2, entry) for entry in entries
    )


_X = spec("x", "float32", -1, 2)
# A model with a function of two traces, a part with a function, private functions, and signatures.
MODEL = graph(
    [
        user_object(__call__=1, encoder=2, _hidden=4, signatures=5, w=8, bare=10),
        function("call_a", "call_b", arguments=("x", "training")),
        user_object(encode=3, owner=0),
        function("encode_a", arguments=("self", "ids", "more"), is_method=True),
        function("hidden_a"),
        user_object("signature_map", serving_default=6),
        function("signature_a"),
        protos.data(9, protos.data(1, "Const")),
        protos.data(7, protos.number(1, 1) + protos.data(2, protos.shape(2)) + protos.data(6, "w")),
        protos.data(5, protos.number(1, 0)),
        bare_function("bare_a"),
    ],
    {
        "call_a": concrete_function(arguments(_X, value(False)), spec("unknown", "float32", -1), [8, 7]),
        "call_b": concrete_function(arguments(_X, value(True)), spec("unknown", "float32", -1), [8]),
        "encode_a": concrete_function(
            arguments(
                composite("RaggedTensorSpec", 2),
                mapping({"b": spec("more_b", "string"), "a": spec("more_a", "int32", 3)}),
                scale=value(2.5), limit=value(-3), name=value("n"), none=value(None),
            ),
            mapping({"z": spec("z", "int32"), "y": listed(spec("y_0", "int32"), composite("SparseTensorSpec", 3))}),
            [9],
        ),
        "hidden_a": concrete_function(arguments(), listed(spec("tensor_0", "int32"), value(None), number=51)),
        "signature_a": concrete_function(arguments(x=_X), mapping({"y": _X})),
        "bare_a": concrete_function(arguments(spec("", "float32"), kept=spec("", "int32")), listed(_X, _X)),
    },
)  # fmt: skip
