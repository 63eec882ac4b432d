"""Replaces a lookup in a table with constant content by stateless nodes.

The keys are sorted. LowerBound finds the position of a key, and Equal checks whether the table has it. Strings are
sorted by hash. The hashes of the table's keys are unique, and Equal compares the strings, so the result is exact.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import nodes
from tfcarve.prepare.freeze.ops import STRING, NodeDef, type_name
from tfcarve.prepare.freeze.tables import Content

_BUCKETS = (1 << 63) - 1
_KEYED_HASHES = 8
_INT32 = tf.int32.as_datatype_enum
_INT64 = tf.int64.as_datatype_enum
# Source: the types of LowerBound's kernels (tensorflow/core/kernels/searchsorted_op.cc).
_SORTED = frozenset(
    t.as_datatype_enum
    for t in (tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.float32, tf.float64)
)

# Returns the name of a Const with the array in the second argument; the first is the suffix of its name.
Constant = Callable[[str, Any], str]


def _hash_node(name: str, keys: str, seed: int) -> NodeDef:
    op = "StringToHashBucketStrong" if seed else "StringToHashBucketFast"
    node = nodes.make(name, op, [keys], {})
    node.attr["num_buckets"].i = _BUCKETS
    if seed:
        node.attr["key"].list.i.extend([seed, seed])
    return node


def _hashed(keys: Any, seed: int) -> Any:
    if seed:
        found = tf.raw_ops.StringToHashBucketStrong(
            input=keys, num_buckets=_BUCKETS, key=[seed, seed]
        )
    else:
        found = tf.raw_ops.StringToHashBucketFast(input=keys, num_buckets=_BUCKETS)
    return found.numpy()


def _by_hash(content: Content) -> tuple[int, Any, Content]:
    """Returns the seed of a hash without collisions, the sorted hashes, and the content in their order."""
    for seed in range(_KEYED_HASHES):
        hashes = _hashed(content.keys, seed)
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        if np.all(hashes[1:] != hashes[:-1]):
            return seed, hashes, Content(content.keys[order], content.values[order])
    raise InvalidInput("two keys of a table have the same hash")


def _choosing(
    node: NodeDef, name: str, content: Content, constant: Constant, kinds: tuple[int, int]
) -> list[NodeDef]:
    keys, default = node.input[1], node.input[2]
    key_type, value_type = kinds
    created = [
        nodes.make(
            f"{name}/row", "Reshape", [keys, constant("row", np.array([1, -1], np.int32))],
            {"T": key_type, "Tshape": _INT32},
        )
    ]  # fmt: skip
    wanted, sought = f"{name}/row", content.keys
    if key_type == STRING:
        seed, sought, content = _by_hash(content)
        wanted = f"{name}/hash"
        created.append(_hash_node(wanted, f"{name}/row", seed))
    sought_type = _INT64 if key_type == STRING else key_type
    gathering = {"Tindices": _INT32, "Taxis": _INT32}
    axis, place = constant("axis", np.array(0, np.int32)), f"{name}/place"
    created += [
        nodes.make(
            f"{name}/bound", "LowerBound", [constant("sorted", sought[np.newaxis]), wanted],
            {"T": sought_type, "out_type": _INT32},
        ),
        nodes.make(
            place, "Minimum",
            [f"{name}/bound", constant("last", np.array(len(content.keys) - 1, np.int32))],
            {"T": _INT32},
        ),
        nodes.make(
            f"{name}/key", "GatherV2", [constant("keys", content.keys), place, axis],
            {"Tparams": key_type, **gathering},
        ),
        nodes.make(f"{name}/found", "Equal", [f"{name}/key", f"{name}/row"], {"T": key_type}),
        nodes.make(
            f"{name}/value", "GatherV2", [constant("values", content.values), place, axis],
            {"Tparams": value_type, **gathering},
        ),
        nodes.make(
            f"{name}/chosen", "SelectV2", [f"{name}/found", f"{name}/value", default],
            {"T": value_type},
        ),
        nodes.make(
            node.name, "Reshape", [f"{name}/chosen", f"{name}/shape"],
            {"T": value_type, "Tshape": _INT32},
        ),
    ]  # fmt: skip
    return created


def find(node: NodeDef, prefix: str, content: Content, constant: Constant) -> list[NodeDef]:
    """Returns nodes that compute the result of `node`, a LookupTableFind, for a table with `content`.

    The last one has the name of `node`; the names of the others start with `prefix`.

    Raises InvalidInput if the keys have a type that cannot be sorted.
    """
    if len(node.input) < 3:
        raise InvalidInput(
            f"node {node.name!r}: {node.op} has {len(node.input)} inputs: expected 3"
        )
    kinds = (node.attr["Tin"].type, node.attr["Tout"].type)
    if kinds[0] not in _SORTED and kinds[0] != STRING:
        raise InvalidInput(
            f"node {node.name!r}: keys of type {type_name(kinds[0])} cannot be looked up in a frozen graph"
        )
    shape = nodes.make(
        f"{prefix}/shape", "Shape", [node.input[1]], {"T": kinds[0], "out_type": _INT32}
    )
    if len(content.keys):
        return [shape, *_choosing(node, prefix, content, constant, kinds)]
    types = {"T": kinds[1], "index_type": _INT32}
    return [shape, nodes.make(node.name, "Fill", [shape.name, node.input[2]], types)]
