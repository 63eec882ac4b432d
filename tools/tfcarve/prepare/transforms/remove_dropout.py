"""remove_dropout: removes dropout that keeps all values, for example in a graph with `--constant keep_prob=1`.

Not in TensorFlow's tool. Dropout compares uniform random numbers in [0, 1) with the share of values that it drops, or rounds
down their sum with the share that it keeps; it multiplies by the result or selects with it. Source: dropout of TensorFlow 1.0
to 2.21, tensorflow/python/ops/nn_ops.py. The transforms fold_constants and remove_neutral_ops go before.
"""

from collections.abc import Callable

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.inference import Outputs, shape_of
from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    set_inputs,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.unused import without_unused
from tfcarve.prepare.transforms.remove_nodes import remove

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

# Their first input is the shape, their values are in [0, 1).
_UNIFORM = frozenset(("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"))
_SUMS = frozenset(("Add", "AddV2"))
_PARTS = _UNIFORM | _SUMS | {"Cast", "Const", "Floor", "GreaterEqual", "Shape"}
_BOOL = 10


class _Dropouts:
    def __init__(self, graph: Graph, outputs: Outputs, fed: set[str]) -> None:
        self._nodes = by_name(graph)
        self._liveness = Liveness(topological_order(graph))
        self._outputs = outputs
        self._fed = fed

    def kept(self, node: NodeDef) -> Ref | None:
        """Returns the tensor whose values a dropout, which ends with `node`, all keeps; None for any other node."""
        sources = data_inputs(node)
        if node.op == "Mul" and len(sources) == 2:
            for kept, mask in (sources, sources[::-1]):
                if self._fits(self._mask(mask), kept) and self._runs_with(node, kept):
                    return kept
        elif node.op == "SelectV2" and len(sources) == 3:
            mask, kept, dropped = sources
            if shape_of(dropped, self._outputs) != () or not self._fits(self._mask(mask), kept):
                return None
            return kept if self._runs_with(node, kept) else None
        return None

    def _runs_with(self, node: NodeDef, kept: Ref) -> bool:
        """Returns whether a node runs in the same cases if its only data input is `kept`."""
        others = [source for source in data_inputs(node) if source != kept]
        return self._liveness.stand_ins(others, [kept], ()) == []

    def _node(self, source: Ref, inputs: int) -> tuple[NodeDef | None, list[Ref]]:
        """Returns the node that computes a tensor as its only output, if it has that number of inputs, and its inputs."""
        node = self._nodes[source.node]
        sources = data_inputs(node)
        if source.output or source.node in self._fed or len(sources) != inputs:
            return None, []
        return node, sources

    def _mask(self, source: Ref) -> Ref | None:
        """Returns the tensor with the shape of a mask that keeps all values; None if `source` is not one."""
        cast, of = self._node(source, 1)
        if cast is not None and cast.op == "Cast" and nodes.dtype(cast, "SrcT") == _BOOL:
            source = of[0]
        compared, sources = self._node(source, 2)
        if compared is not None and compared.op == "GreaterEqual":
            return self._uniform(sources[0], sources[1], lambda rate: rate <= 0)
        rounded, of = self._node(source, 1)
        if rounded is not None and rounded.op == "Floor":
            added, sources = self._node(of[0], 2)
            if added is not None and added.op in _SUMS:
                for random, share in (sources, sources[::-1]):
                    found = self._uniform(random, share, lambda share: share == 1)
                    if found is not None:
                        return found
        return None

    def _uniform(self, random: Ref, share: Ref, accepts: Callable[[float], bool]) -> Ref | None:
        """Returns the shape of uniform random numbers, a tensor, if the other operand is an accepted constant."""
        uniform, constant = self._nodes[random.node], self._nodes[share.node]
        if random.output or random.node in self._fed or share.node in self._fed:
            return None
        if uniform.op not in _UNIFORM or not data_inputs(uniform) or constant.op != "Const":
            return None
        if not tensors.has_numbers(nodes.tensor(constant).dtype) or nodes.shape(constant):
            return None
        return data_inputs(uniform)[0] if accepts(float(nodes.value(constant))) else None

    def _fits(self, shape: Ref | None, kept: Ref) -> bool:
        """Returns whether a mask with a shape does not change the shape of `kept` in a broadcast."""
        if shape is None or shape.node in self._fed:
            return False
        node = self._nodes[shape.node]
        if node.op == "Shape":
            return data_inputs(node) == [kept]
        known = shape_of(kept, self._outputs)
        if node.op != "Const" or known is None or len(nodes.shape(node)) != 1:
            return False
        dims = nodes.value(node).tolist()
        own = known[len(known) - len(dims) :]
        return len(dims) <= len(known) and all(d in (1, o) for d, o in zip(dims, own, strict=True))


def _become_identity(node: NodeDef, source: Ref) -> None:
    node.op = "Identity"
    set_inputs(node, [source, *(Ref(name, CONTROL) for name in control_inputs(node))])
    for key in [key for key in node.attr if key != "T"]:
        del node.attr[key]


def apply(graph: Graph, context: Context) -> Graph:
    """Removes dropout that keeps all values, and its random numbers; an output becomes an Identity."""
    fed = context.input_nodes()
    dropouts = _Dropouts(graph, inference.outputs(graph, context.evaluator), fed)
    kept = {
        node.name: source
        for node in graph.nodes
        if node.name not in fed and (source := dropouts.kept(node)) is not None
    }
    read = {source.node for node in graph.nodes for source in data_inputs(node)}
    stay = {name for node in graph.nodes for name in control_inputs(node)} | context.preserved()
    removed: dict[str, NodeDef] = {}
    for node in graph.nodes:
        if node.name in kept and (node.name in stay or control_inputs(node)):
            _become_identity(node, kept[node.name])
        elif node.name in kept:
            removed[node.name] = node
    left = remove(graph, removed, {Ref(name): kept[name] for name in removed})
    return without_unused(left, _PARTS, read, context.preserved())
