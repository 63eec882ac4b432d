"""Folds batch normalization after a convolution or matrix product into its weights and a bias.

A chain starts at an op with constant weights. Each following node multiplies every channel by a constant, adds a
constant to it or only moves values, and has a single reader. The chain becomes the op with new weights and one BiasAdd.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.fold import channels
from tfcarve.prepare.fold.channels import Affine, Channels
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    consumer_counts,
    control_inputs,
    data_inputs,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef


@dataclass(frozen=True)
class _Chain:
    """A chain of nodes that folds into its first node.

    Attributes:
      linear: the first node.
      weights: its weights, a Const.
      folded: the nodes that scale or offset channels.
      moving: the nodes that only move values; they stay.
      last: the node that computes the result.
      layout: where the channels are in the result.
      change: the scale and offset of each channel.
      constants: the Consts that become the new weights and bias.
    """

    linear: NodeDef
    weights: NodeDef
    folded: tuple[NodeDef, ...]
    moving: tuple[NodeDef, ...]
    last: NodeDef
    layout: Channels
    change: Affine
    constants: tuple[NodeDef, ...]


def _follow(
    linear: NodeDef, weights: NodeDef, matcher: Matcher, scales: frozenset[str]
) -> _Chain | None:
    layout = channels.channels(linear, weights)
    if layout is None:
        return None
    change = Affine(np.ones(layout.count), np.zeros(layout.count))
    folded: list[NodeDef] = []
    moving: list[NodeDef] = []
    best: _Chain | None = None
    current = linear
    while (user := matcher.only_user(current.name)) is not None and not control_inputs(user):
        step = channels.affine(user, current.name, layout, matcher)
        after = channels.passes(user, layout) if step is None else layout
        if after is None or data_inputs(user).count(Ref(current.name)) != 1:
            break
        layout, current = after, user
        if step is None:
            moving.append(user)
            continue
        change = Affine(change.scale * step.scale, change.offset * step.scale + step.offset)
        folded.append(user)
        if any(node.op in scales for node in folded) and _one_output(user, matcher):
            constants = (weights, *_constants(folded, matcher))
            best = _Chain(
                linear, weights, tuple(folded), tuple(moving), user, layout, change, constants
            )
    return best


def _constants(folded: Sequence[NodeDef], matcher: Matcher) -> Iterator[NodeDef]:
    """Yields the Consts that nodes read."""
    for node in folded:
        for source in data_inputs(node):
            read = matcher.node(source.node)
            if read is not None and read.op == "Const":
                yield read


def _one_output(node: NodeDef, matcher: Matcher) -> bool:
    return all(output <= 0 for output, _ in matcher.users(node.name))


def _chains(
    graph: Graph, preserved: set[str], fed: set[str], scales: frozenset[str]
) -> list[_Chain]:
    matcher = Matcher(graph, preserved)
    found = []
    for node in graph.nodes:
        if node.op not in channels.LINEAR or not channels.dtype_of(node) or node.name in fed:
            continue
        sources = data_inputs(node)
        weights = matcher.node(sources[1].node) if len(sources) > 1 else None
        if weights is None or weights.op != "Const" or weights.name in fed:
            continue
        if nodes.tensor(weights).dtype != channels.dtype_of(node):  # TensorFlow rejects this graph
            continue
        chain = _follow(node, weights, matcher, scales)
        if chain is not None:
            found.append(chain)
    return found


class _Rewriter:
    """Puts the folded chains into a graph."""

    def __init__(self, graph: Graph, preserved: set[str]) -> None:
        self._graph = graph
        self._preserved = preserved
        self._names = [node.name for node in graph.nodes]
        self._taken = {node.name for node in graph.nodes}
        self._counts = consumer_counts(graph)
        self._before: dict[str, list[NodeDef]] = {}
        self._instead: dict[str, list[NodeDef]] = {}
        self._maybe_unused: set[str] = set()

    def fold(self, chain: _Chain) -> None:
        """Records the replacement of a chain."""
        self._set_weights(chain)
        for node in chain.folded:
            self._instead[node.name] = []
            self._maybe_unused.update(source.node for source in data_inputs(node))
        current = chain.linear
        for node in chain.moving:
            _, *others = data_inputs(node)
            set_inputs(node, [Ref(current.name), *others])
            current = node
        if chain.change.offset.any():
            self._instead[chain.last.name] = self._bias_add(chain, current)
        else:
            current.name = chain.last.name  # all readers of the last node read this one now

    def _set_weights(self, chain: _Chain) -> None:
        value = channels.scaled(chain.linear, nodes.value(chain.weights), chain.change.scale)
        shared = self._counts[chain.weights.name] > 1 or chain.weights.name in self._preserved
        name = chain.weights.name
        if shared:
            name = unique_name(f"{chain.linear.name}/weights", self._taken)
            self._maybe_unused.add(chain.weights.name)
        created = instead_of(chain.constants, name, value)
        created.device = chain.weights.device
        self._before.setdefault(chain.linear.name, []).append(created)
        if not shared:
            self._instead[chain.weights.name] = []
        first, _, *others = data_inputs(chain.linear)
        set_inputs(chain.linear, [first, Ref(name), *others])

    def _bias_add(self, chain: _Chain, read: NodeDef) -> list[NodeDef]:
        number = channels.dtype_of(chain.linear)
        name = unique_name(f"{chain.last.name}/bias", self._taken)
        bias = instead_of(chain.constants, name, chain.change.offset, number)
        created = nodes.make(
            "BiasAdd",
            chain.last.name,
            (Ref(read.name), Ref(bias.name)),
            T=nodes.type_value(number),
            data_format=nodes.text_value("NHWC" if chain.layout.last else "NCHW"),
        )
        created.device = bias.device = chain.last.device
        return [bias, created]

    def graph(self) -> Graph:
        """Returns the graph with all recorded replacements."""
        listed: list[NodeDef] = []
        for name, node in zip(self._names, self._graph.nodes, strict=True):
            listed += self._before.get(name, [])
            listed += self._instead.get(name, [node])
        return _without_unused(self._graph.with_nodes(listed), self._maybe_unused - self._preserved)


def _without_unused(graph: Graph, names: set[str]) -> Graph:
    """Returns the graph without the constants in `names` that nothing reads."""
    counts = consumer_counts(graph)
    return graph.with_nodes(
        node
        for node in graph.nodes
        if not (node.name in names and node.op == "Const" and node.name not in counts)
    )


def fold(graph: Graph, preserved: set[str], fed: set[str], scales: frozenset[str]) -> Graph:
    """Folds all chains that contain one of the ops `scales`.

    Args:
      graph: its nodes may be modified.
      preserved: names of nodes that must stay.
      fed: names of nodes that the app feeds.
      scales: ops from channels.PRODUCTS or BATCH_NORMS.
    """
    rewriter = _Rewriter(graph, preserved)
    for chain in _chains(graph, preserved, fed, scales):
        rewriter.fold(chain)
    return rewriter.graph()
