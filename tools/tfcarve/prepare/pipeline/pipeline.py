"""Applies a list of transforms to a graph."""

from collections.abc import Callable, Mapping, Sequence

from tfcarve.control_flow import ENTERS
from tfcarve.errors import InvalidInput, TfcarveError
from tfcarve.nearest import nearest
from tfcarve.prepare import transforms
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.control_flow.frames import Frames
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.graph import functions, nodes
from tfcarve.prepare.graph.colocation import drop_missing_colocations
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, ref, topological_order
from tfcarve.prepare.graph.messages import FunctionDef
from tfcarve.prepare.pipeline.step_check import StepCheck
from tfcarve.prepare.pipeline.transform_list import Step

Show = Callable[[str, int, int], None]
AfterStep = Callable[[str, Graph], None]


def require(steps: Sequence[Step]) -> None:
    """Checks that all transforms and parameters exist; raises InvalidInput with the nearest names."""
    for step in steps:
        known = transforms.load(step.name).PARAMETERS | transforms.COMMON_PARAMETERS
        for name in step.parameters:
            if name not in known:
                raise InvalidInput(
                    f"{step.name}: parameter {name!r} is unknown{nearest(name, known) or '.'}"
                    f" Its parameters are: {', '.join(sorted(known))}"
                )
        Parameters(step.name, step.parameters).boolean("ignore_errors", False)


def require_nodes(graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Checks that inputs and outputs exist in the graph; raises InvalidInput with the nearest names."""
    known = by_name(graph)
    for kind, names in (("input", inputs), ("output", outputs)):
        for name in names:
            if ref(name).node not in known:
                raise InvalidInput(
                    f"{kind} {name!r} is not a node of the graph{nearest(ref(name).node, known)}"
                )


def _require_outside_of_loops(graph: Graph, inputs: Sequence[str]) -> None:
    """Raises InvalidInput if an input is in a loop, where TensorFlow cannot feed it."""
    if not any(node.op in ENTERS for node in graph.nodes):
        return
    frames = Frames(topological_order(graph))
    for name in inputs:
        loop = frames.of(ref(name).node)
        if loop:
            raise InvalidInput(
                f"input {name!r} is in the loop {loop!r}, so it has a value for each iteration: "
                "pass inputs outside of loops"
            )


def transform(
    graph: Graph,
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    evaluator: Evaluator,
    show: Show = lambda *_: None,
    after_step: AfterStep = lambda *_: None,
) -> Graph:
    """Returns the transformed graph. Consumes `graph`: its nodes are modified and removed from it.

    Args:
      graph: a valid graph (graph.check).
      steps: the transforms, in order.
      inputs: the tensors that the app feeds.
      outputs: the tensors that the app fetches; rename_node may rename inputs and outputs.
      evaluator: TensorFlow, for constants and OpDefs.
      show: called with the current step, the number of steps done and their total.
      after_step: called with an empty string and the graph before the first step, and then with the name of each step and
        its result.

    Raises:
      InvalidInput: a transform or parameter is unknown, an input or output does not exist, an input is in a loop, a
        transform can't be applied, or TensorFlow would reject the graph and no transform repairs it.
      InternalError: TensorFlow would reject the graph because of a transform.
    """
    require(steps)
    require_nodes(graph, inputs, outputs)
    _require_outside_of_loops(graph, inputs)
    step_check = StepCheck(graph, inputs, outputs, evaluator.known_op_defs())
    after_step("", graph)
    owned = [graph.with_nodes(graph.nodes)]
    graph.nodes.clear()  # the caller's list would keep replaced nodes in memory
    for number, step in enumerate(steps):
        show(step.name, number, len(steps))
        context = Context(
            tuple(inputs), tuple(outputs), Parameters(step.name, step.parameters), evaluator
        )
        owned.append(_step(owned.pop(), context, step_check))
        inputs, outputs = (renamed(names, (step,)) for names in (inputs, outputs))
        require_nodes(owned[0], inputs, outputs)
        after_step(step.name, owned[0])
    step_check.at_end(owned[0], inputs, outputs)
    return owned.pop()


def renamed(names: Sequence[str], steps: Sequence[Step]) -> list[str]:
    """Returns the names of inputs or outputs after transforms. Only rename_node changes names."""
    sources = [ref(name) for name in names]
    for step in steps:
        if step.name == "rename_node":
            (old,), (new,) = step.parameters["old_node_name"], step.parameters["new_node_name"]
            sources = [Ref(new if s.node == old else s.node, s.output) for s in sources]
    return [source.text() for source in sources]


def _step(graph: Graph, context: Context, step_check: StepCheck) -> Graph:
    name = context.parameters.transform
    module = transforms.load(name)
    ignores = context.parameters.boolean("ignore_errors", False)
    before = [nodes.copy(node) for node in graph.nodes] if ignores else []
    try:
        created = module.apply(graph, context)
        drop_missing_colocations(created)
        step_check.after_step(created, context)
        if module.IN_FUNCTIONS and created.library.function:
            op_defs = functions.with_functions(context.evaluator.op_defs, created.library)
            bodies = functions.by_name(created.library)
            for function in created.library.function:
                _in_function(function, module, context, created, op_defs, bodies, step_check)
        return created
    except Failed as error:
        problem: TfcarveError = InvalidInput(f"{name}: TensorFlow reports: {error}")
    except TfcarveError as error:
        problem = error if str(error).startswith(name) else InvalidInput(f"{name}: {error}")
    if ignores:
        return graph.with_nodes(before)
    raise problem


def _in_function(
    function: FunctionDef,
    module: transforms.Transform,
    context: Context,
    graph: Graph,
    op_defs: functions.OpDefs,
    bodies: Mapping[str, FunctionDef],
    step_check: StepCheck,
) -> None:
    try:
        body, inputs, outputs = functions.body(function, op_defs)
        unchanged = Graph([nodes.copy(node) for node in body.nodes])
        called = functions.called_functions(body.nodes, bodies)
        own = Context(inputs, outputs, context.parameters, context.evaluator, in_function=True)
        created = module.apply(Graph(body.nodes, called, graph.versions), own)
        drop_missing_colocations(created)
        step_check.after_step(created, own, function.signature.name)
        functions.replace_body(function, unchanged, created, op_defs)
    except functions.UnsupportedBody:
        return
