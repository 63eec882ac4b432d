"""Checks the graph after each transform: no transform may make a graph that TensorFlow rejects from a valid one."""

from collections.abc import Sequence

from tfcarve.errors import InternalError, InvalidInput
from tfcarve.prepare import transforms
from tfcarve.prepare.checks.load_check import Fault, LoadCheck
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import functions
from tfcarve.prepare.graph.functions import OpDefs
from tfcarve.prepare.graph.graph import AGAIN, Graph, ref
from tfcarve.prepare.graph.graph_check import check

# The number of faults in a message.
_SHOWN = 3
# The place of the graph itself, beside the names of functions.
_GRAPH = ""
# The cause of faults that exist before the first transform.
_MODEL = ""


class StepCheck:
    """Checks a graph and the bodies of its functions; a transform is not blamed for faults that exist before it."""

    def __init__(
        self, graph: Graph, inputs: Sequence[str], outputs: Sequence[str], op_defs: OpDefs
    ) -> None:
        """Checks a graph before the first transform.

        Args:
          graph: the graph before the first transform.
          inputs: the tensors that the app feeds.
          outputs: the tensors that the app fetches.
          op_defs: TensorFlow's OpDefs, or none if tensorflow is not installed.

        Raises InvalidInput if graph_check.check does not accept the graph.
        """
        check(graph)
        self._check = LoadCheck(op_defs)
        # The transforms that made a place invalid.
        self._causes: dict[str, str] = {}
        if self._faults(graph, inputs, outputs):
            self._causes[_GRAPH] = _MODEL
        defined = functions.with_functions(op_defs, graph.library)
        for function in graph.library.function:
            name = function.signature.name
            try:
                body, arguments, returned = functions.body(function, defined)
                check(body)
                if self._faults(Graph(body.nodes, graph.library), arguments, returned):
                    self._causes[name] = _MODEL
            except (functions.UnsupportedBody, InvalidInput):
                self._causes[name] = _MODEL

    def after_step(self, graph: Graph, context: Context, function: str = _GRAPH) -> None:
        """Checks a graph, or the body of a function, that a transform returned.

        Raises InternalError, with the transform and the node, if TensorFlow would reject it because of the transform
        and not because of its parameters.
        """
        name = context.parameters.transform
        try:
            check(graph)
        except InvalidInput as error:
            raise broken(name, str(error).removesuffix(f": {AGAIN}"), function) from None
        faults = self._faults(graph, context.inputs, context.outputs)
        if not faults:
            self._causes.pop(function, None)
        elif function not in self._causes:
            if not transforms.load(name).CAN_BREAK_GRAPHS:
                raise broken(name, _shown(faults), function)
            self._causes[function] = name

    def at_end(self, graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Raises InvalidInput if the graph of the model is invalid, or if a transform's parameters make it invalid."""
        if _GRAPH not in self._causes:
            return
        why = _shown(self._faults(graph, inputs, outputs))
        if self._causes[_GRAPH] == _MODEL:
            raise InvalidInput(f"TensorFlow rejects this model: {why}")
        raise broken(self._causes[_GRAPH], why)

    def _faults(self, graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> list[Fault]:
        input_nodes, output_nodes = (
            {ref(name).node for name in names} for names in (inputs, outputs)
        )
        return self._check.faults(graph, input_nodes, output_nodes)


def _shown(faults: Sequence[Fault]) -> str:
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return "; ".join(fault.text() for fault in faults[:_SHOWN]) + more


def broken(name: str, why: str, function: str = _GRAPH) -> InternalError | InvalidInput:
    """Returns the error that a transform made a graph, or a function's body, that TensorFlow rejects."""
    place = f"function {function!r}: " if function else ""
    made = f"{name}: makes a graph that TensorFlow rejects: {place}{why}"
    if transforms.load(name).CAN_BREAK_GRAPHS:
        return InvalidInput(f"{made}: pass other parameters")
    return InternalError(f"{made}: this is an error in tfcarve: please report it with the model")
