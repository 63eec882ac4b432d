"""fold_constants: computes the nodes that depend only on constants, and replaces them with constants.

A condition with a constant predicate (Switch and Merge, If, Case) is replaced with the branch that runs.
Source: tensorflow/tools/graph_transforms/fold_constants_lib.cc, ConstantFold in
tensorflow/core/common_runtime/constant_folding.cc. Unlike TensorFlow's tool, it gives the new constants the names of
the nodes that they replace, and removes the old constants and control inputs from them.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constant_arguments import set_constant_arguments
from tfcarve.prepare.control_flow.constant_conditions import without_constant_conditions
from tfcarve.prepare.evaluate import foldable, inference
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed, Loaded
from tfcarve.prepare.evaluate.foldable import Facts, Found
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import functions, nodes, tensors
from tfcarve.prepare.graph.colocation import drop_missing_colocations
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    Replacements,
    by_name,
    control_inputs,
    data_inputs,
    reachable,
    rewire,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.graph.messages import NodeDef, TensorProto

PARAMETERS = frozenset(
    ("clear_output_shapes", "exclude_op", "exclude_node", "max_constant_size_in_bytes")
)
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_MAX_CONSTANT = 10 << 20
Values = dict[Ref, TensorProto]


def _shape_value(node: NodeDef, read: list[Output]) -> list[TensorProto]:
    """Returns the outputs of a Rank, Shape, ShapeN or Size."""
    dtype = nodes.dtype(node, "out_type") or nodes.INT32
    shapes = [output.shape or () for output in read]
    if node.op == "Rank":
        return [tensors.from_array(np.array(len(shapes[0]), np.int32))]
    kind = np.int32 if dtype == nodes.INT32 else np.int64
    if node.op == "Size":
        return [tensors.from_array(np.array(np.prod(shapes[0], dtype=np.int64), kind))]
    return [tensors.from_array(np.array(shape, kind)) for shape in shapes]


def _by_shapes(graph: Graph, found: Found, facts: Facts) -> Values:
    values: Values = {}
    for node in graph.nodes:
        if node.name in found.folded and foldable.by_shape(node, facts):
            read = [facts.outputs[s.node][s.output] for s in data_inputs(node)]
            for i, tensor in enumerate(_shape_value(node, read)):
                values[Ref(node.name, i)] = tensor
    return values


def _aliases(graph: Graph, found: Found) -> dict[Ref, Ref]:
    """Returns the inputs that foldable pass-through nodes forward, by their output."""
    aliases = {}
    for node in graph.nodes:
        if node.name in found.folded and node.op in foldable.PASS_THROUGH:
            source = data_inputs(node)[0]
            if found.control_inputs_of[source.node] == found.control_inputs_of[node.name]:
                aliases[Ref(node.name)] = source
    return aliases


def _part(graph: Graph, outputs: list[Ref], known: Values) -> Graph:
    """Returns the subgraph that computes `outputs`, with the values in `known` as constants."""
    names = {source.node for source in known}
    copies: dict[Ref, Ref] = {}
    listed: list[NodeDef] = []
    taken = {node.name for node in graph.nodes}
    needed = reachable(graph, {source.node for source in outputs}, names)
    for source, tensor in known.items():
        if source.node in needed:
            copies[source] = Ref(unique_name(f"{source.node}/known", taken))
            listed.append(nodes.constant_of(copies[source].node, tensor, ()))
    for node in graph.nodes:
        if node.name in needed and node.name not in names:
            own = nodes.copy(node)
            own.device = ""
            set_inputs(own, data_inputs(node))
            if "_class" in own.attr:
                del own.attr["_class"]
            listed.append(own)
    rewire(listed, copies)
    return Graph(listed, versions=graph.versions)  # no library: nodes with functions are not folded


def _run(loaded: Loaded, outputs: list[Ref]) -> Values:
    """Returns the values in `outputs` that TensorFlow can compute."""
    try:
        return dict(zip(outputs, loaded.run(outputs, {}), strict=True))
    except Failed:
        if len(outputs) == 1:
            return {}
    half = len(outputs) // 2
    return _run(loaded, outputs[:half]) | _run(loaded, outputs[half:])


def _computed(graph: Graph, outputs: list[Ref], known: Values, evaluator: Evaluator) -> Values:
    if not outputs:
        return {}
    with evaluator.loaded(_part(graph, outputs, known)) as loaded:
        return _run(loaded, outputs)


def _compact(tensor: TensorProto, where: str) -> TensorProto:
    if not tensors.has_numbers(tensor.dtype):
        return tensor
    return tensors.from_array(tensors.to_array(tensor, where), tensor.dtype)


def _facts(graph: Graph, context: Context) -> Facts:
    parameters = context.parameters
    largest = parameters.integer("max_constant_size_in_bytes", _MAX_CONSTANT)
    if largest < 0:
        raise InvalidInput(
            f"{parameters.transform}: max_constant_size_in_bytes={largest}: expected 0 or more"
        )
    return Facts(
        context.evaluator.op_defs,
        inference.outputs(graph, context.evaluator),
        context.input_nodes(),
        context.output_nodes(),
        frozenset(parameters.all("exclude_op")),
        frozenset(parameters.all("exclude_node")),
        largest,
    )


def _values(
    graph: Graph, found: Found, facts: Facts, context: Context
) -> tuple[Values, dict[Ref, Ref]]:
    """Returns the new constants by the tensor that they replace, and the replacements of pass-through nodes."""
    known = _by_shapes(graph, found, facts)
    constants = {Ref(node.name): node for node in graph.nodes if node.op == "Const"}
    aliases = _aliases(graph, found)
    chains = Replacements(aliases)
    wanted = {chains.final(source) for source in found.outputs}
    computed = [
        source for source in sorted(wanted) if source not in known and source not in constants
    ]
    values = known | _computed(graph, computed, known, context.evaluator)
    values = {source: _compact(tensor, source.node) for source, tensor in values.items()}
    values = {
        source: tensor
        for source, tensor in values.items()
        if source in wanted and tensor.ByteSize() <= facts.largest + 4096
    }
    for name in context.output_nodes():
        source = chains.final(Ref(name))
        if Ref(name) in aliases and source in values:
            values[Ref(name)] = values[source]
        elif Ref(name) in aliases and source in constants:
            values[Ref(name)] = nodes.tensor(constants[source])
    return values, {a: s for a, s in aliases.items() if a not in values}


def _replaced(graph: Graph, values: Values, found: Found) -> tuple[list[NodeDef], dict[Ref, Ref]]:
    """Returns the nodes with the new constants, and the replacements of nodes with several outputs."""
    taken = {node.name for node in graph.nodes}
    by_node: dict[str, list[Ref]] = {}
    for source in sorted(values):
        by_node.setdefault(source.node, []).append(source)
    listed: list[NodeDef] = []
    replacements: dict[Ref, Ref] = {}
    for node in graph.nodes:
        sources = by_node.get(node.name, [])
        whole = sources == [Ref(node.name)]
        if not whole:
            listed.append(node)
        for source in sources:
            name = node.name if whole else unique_name(f"{node.name}/output_{source.output}", taken)
            control = [Ref(w, CONTROL) for w in sorted(found.control_inputs_of[node.name])]
            created = nodes.constant_of(name, values[source], control)
            created.device = node.device
            listed.append(created)
            if not whole:
                replacements[source] = Ref(name)
    return listed, replacements


def _without_control_inputs_from_constants(listed: list[NodeDef], found: Found) -> None:
    for node in listed:
        control = control_inputs(node)
        if any(name in found.control_inputs_of for name in control):
            final = {w for name in control for w in found.control_inputs_of.get(name, (name,))}
            set_inputs(node, [*data_inputs(node), *(Ref(w, CONTROL) for w in sorted(final))])


def _used(graph: Graph, context: Context) -> list[NodeDef]:
    """Returns the nodes that are needed; in a function, stateful nodes always are."""
    roots = context.preserved()
    if context.in_function:
        op_defs = context.evaluator.op_defs
        roots |= {n.name for n in graph.nodes if n.op not in op_defs or op_defs[n.op].is_stateful}
    used = reachable(graph, roots, () if context.in_function else context.input_nodes())
    return [node for node in graph.nodes if node.name in used]


def _fed_placeholders(graph: Graph, context: Context) -> None:
    fed = by_name(graph)
    for name in context.input_nodes():
        if fed[name].op == "PlaceholderWithDefault":
            fed[name].op = "Placeholder"
            del fed[name].input[:]


def _folded(graph: Graph, context: Context) -> Graph:
    """Returns the graph with new constants; conditions stay."""
    facts = _facts(graph, context)
    found = foldable.find(graph, facts)
    values, aliases = _values(graph, found, facts, context)
    listed, replacements = _replaced(graph, values, found)
    rewire(listed, aliases | replacements)
    _without_control_inputs_from_constants(listed, found)
    folded = graph.with_nodes(listed)
    return folded.with_nodes(_used(folded, context))


def apply(graph: Graph, context: Context) -> Graph:
    """Folds constants.

    Raises InvalidInput if shapes are incompatible, or computing the constants exceeds the memory or time limit.
    """
    if context.parameters.boolean("clear_output_shapes", True):
        for node in graph.nodes:
            node.attr.pop("_output_shapes", None)
    _fed_placeholders(graph, context)
    folded = _folded(graph, context)
    while (left := without_constant_conditions(folded, context)) is not folded:
        drop_missing_colocations(left)
        folded = _folded(left, context)
        folded = Graph(folded.nodes, functions.used_functions(folded), folded.versions)
    if not context.in_function:
        set_constant_arguments(folded, context.input_nodes())
    return folded
