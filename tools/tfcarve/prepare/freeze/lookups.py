"""Replaces a lookup in a table with constant content by stateless nodes.

The keys are sorted. LowerBound finds the position of a key, and Equal checks whether the table has it. Strings are
sorted by hash. The hashes of the table's keys are unique, and Equal compares the strings, so the result is exact.
"""

from collections.abc import Callable

import numpy as np

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze import nodes
from tfcarve.prepare.freeze.computed import computed
from tfcarve.prepare.freeze.ops import INT32, INT64, STRING, type_name
from tfcarve.prepare.freeze.tables import Content
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

_BUCKETS = (1 << 63) - 1
_KEYED_HASHES = 8
# Source: the types of LowerBound's kernels (tensorflow/core/kernels/searchsorted_op.cc).
_SORTED = frozenset(
    dtypes.NUMBER_OF[name]
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "float32", "float64")
)

# Returns the name of a Const with the array in the second argument; the first is the suffix of its name.
Constant = Callable[[str, Array], str]


def _hash_node(name: str, keys: str, seed: int) -> NodeDef:
    op = "StringToHashBucketStrong" if seed else "StringToHashBucketFast"
    node = nodes.make(name, op, [keys], {})
    node.attr["num_buckets"].i = _BUCKETS
    if seed:
        node.attr["key"].list.i.extend([seed, seed])
    return node


def _hashed(keys: Array, seed: int, evaluator: Evaluator) -> Array:
    given = nodes.constant("keys", keys, ())
    (found,) = computed(evaluator, [given, _hash_node("hashes", given.name, seed)], ["hashes"])
    return tensors.to_array(found, given.name)


def _by_hash(content: Content, evaluator: Evaluator) -> tuple[int, Array, Content]:
    """Returns the seed of a hash without collisions, the sorted hashes, and the content in their order."""
    for seed in range(_KEYED_HASHES):
        hashes = _hashed(content.keys, seed, evaluator)
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        if np.all(hashes[1:] != hashes[:-1]):
            return seed, hashes, Content(content.keys[order], content.values[order])
    raise InvalidInput("two keys of a table have the same hash")


def _choosing(
    node: NodeDef, name: str, content: Content, constant: Constant, evaluator: Evaluator
) -> list[NodeDef]:
    keys, default = node.input[1], node.input[2]
    key_type, value_type = node.attr["Tin"].type, node.attr["Tout"].type
    created = [
        nodes.make(
            f"{name}/row", "Reshape", [keys, constant("row", np.array([1, -1], np.int32))],
            {"T": key_type, "Tshape": INT32},
        )
    ]  # fmt: skip
    wanted, sought = f"{name}/row", content.keys
    if key_type == STRING:
        seed, sought, content = _by_hash(content, evaluator)
        wanted = f"{name}/hash"
        created.append(_hash_node(wanted, f"{name}/row", seed))
    sought_type = INT64 if key_type == STRING else key_type
    gathering = {"Tindices": INT32, "Taxis": INT32}
    axis, place = constant("axis", np.array(0, np.int32)), f"{name}/place"
    created += [
        nodes.make(
            f"{name}/bound", "LowerBound", [constant("sorted", sought[np.newaxis]), wanted],
            {"T": sought_type, "out_type": INT32},
        ),
        nodes.make(
            place, "Minimum",
            [f"{name}/bound", constant("last", np.array(len(content.keys) - 1, np.int32))],
            {"T": INT32},
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
            {"T": value_type, "Tshape": INT32},
        ),
    ]  # fmt: skip
    return created


def find(
    node: NodeDef, prefix: str, content: Content, constant: Constant, evaluator: Evaluator
) -> list[NodeDef]:
    """Returns nodes that compute the result of `node`, a LookupTableFind, for a table with `content`.

    The last one has the name of `node`; the names of the others start with `prefix`. `evaluator` is TensorFlow.

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
        f"{prefix}/shape", "Shape", [node.input[1]], {"T": kinds[0], "out_type": INT32}
    )
    if len(content.keys):
        return [shape, *_choosing(node, prefix, content, constant, evaluator)]
    types = {"T": kinds[1], "index_type": INT32}
    return [shape, nodes.make(node.name, "Fill", [shape.name, node.input[2]], types)]
