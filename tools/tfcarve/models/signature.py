"""Signatures of a SavedModel or MetaGraph: the choice of signatures, and the nodes that they need. Pure."""

from collections.abc import Collection, Iterable, Mapping

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature_def import Signature, node_of


class SignatureError(ValueError):
    """A signature does not exist, or refers to a node that does not exist."""


def chosen(available: Mapping[str, Signature], names: Iterable[str]) -> dict[str, Signature]:
    """Returns the available signatures that have one of `names`, or all of them if `names` is empty.

    Raises:
      SignatureError: no available signature has one of the names; the message lists the available ones.
    """
    wanted = frozenset(names)
    found = {name: available[name] for name in sorted(available) if not wanted or name in wanted}
    if wanted and not found:
        raise SignatureError(
            f"no signature {', '.join(sorted(wanted))}: it has {', '.join(sorted(available)) or 'none'}"
        )
    return found


def reached(nodes: Collection[NodeUse], signatures: Mapping[str, Signature]) -> list[NodeUse]:
    """Returns the nodes that the outputs of `signatures` need, and all nodes of functions.

    A node also needs its control inputs. A node that the signature feeds needs no inputs.

    Raises:
      SignatureError: a signature refers to a node that does not exist.
    """
    graph = {use.node: use for use in nodes if not use.function}
    needed: set[str] = set()
    for name, signature in signatures.items():
        input_nodes, output_nodes = signature.input_nodes(), signature.output_nodes()
        unknown = (input_nodes | output_nodes) - graph.keys()
        if unknown:
            raise SignatureError(
                f"signature {name} refers to the node {min(unknown)!r}, which does not exist"
            )
        seen: set[str] = set()
        todo = sorted(output_nodes)
        while todo:
            node = todo.pop()
            if node in seen or node not in graph:
                continue
            seen.add(node)
            if node not in input_nodes:
                todo += map(node_of, graph[node].inputs)
        needed |= seen
    return [use for use in nodes if use.function or use.node in needed]
