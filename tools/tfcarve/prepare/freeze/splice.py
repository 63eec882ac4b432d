"""Replaces a call with the body of its function.

Source of the semantics of a call (control inputs, side effects):
tensorflow/core/common_runtime/inline_function_utils.h.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import Names
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.bodies import Body, copied, with_inputs
from tfcarve.prepare.freeze.ops import DATAFLOW_CONTROL, Ops
from tfcarve.prepare.graph.graph import CONTROL
from tfcarve.prepare.graph.messages import NodeDef

# The number of calls that a tensor may pass through.
_MAX_STEPS = 100_000
# Default names of calls, which carry no information.
_CALL_NAME = re.compile(r"(?:.*/)?(?:Stateful)?PartitionedCall(?:_\d+)?\Z")


class Spliced:
    """A body under construction: its nodes, and the replacements of calls."""

    def __init__(self, body: Body) -> None:
        self.names = Names({n.name for n in body.nodes} | {a.name for a in body.arguments})
        self.framed = any(node.op in DATAFLOW_CONTROL for node in body.nodes)
        self.nodes: list[NodeDef] = []
        self.outputs: dict[str, list[str]] = {}
        self.after: dict[str, list[str]] = {}

    def _name(self, call: str, inner: str) -> str:
        if _CALL_NAME.match(call) and inner not in self.names:
            return self.names.unique(inner)
        return self.names.unique(f"{call}/{inner}")

    def add(self, call: NodeDef, body: Body, ops: Ops) -> None:
        """Adds `body` as the replacement of `call`."""
        data = [i for i in call.input if not i.startswith("^")]
        control = [i for i in call.input if i.startswith("^")]
        if len(data) != len(body.arguments):
            raise InvalidInput(
                f"node {call.name!r}: {len(data)} inputs for a function with {len(body.arguments)} arguments"
            )
        outer = {a.name: i for a, i in zip(body.arguments, data, strict=True)}
        own = {node.name: self._name(call.name, node.name) for node in body.nodes}

        def renamed(text: str) -> str:
            name, port = tensor_names.parsed(text)
            if name in own:
                return tensor_names.reference(own[name], port)
            if port == CONTROL and name in outer:
                return f"^{tensor_names.parsed(outer[name])[0]}"
            return str(outer.get(text, text))

        place = control
        if self.framed and data and any(not node.input for node in body.nodes):
            place = [f"^{self._runs(call, data, control, body)}"]
        for node in body.nodes:
            inputs = [renamed(i) for i in node.input]
            if self.framed and not inputs:
                inputs += place
            elif ops.is_stateful(node):
                inputs += control
            created = with_inputs(copied(node), inputs)
            created.name = own[node.name]
            self.nodes.append(created)
        results = [renamed(result.tensor) for result in body.results]
        effects = [f"^{own[effect]}" for effect in body.effects if effect in own]
        if effects:
            results = [
                self._result_after(call.name, result.dtype, tensor, effects)
                for result, tensor in zip(body.results, results, strict=True)
            ]
        self.outputs[call.name] = results
        self.after[call.name] = effects or [f"^{tensor_names.parsed(r)[0]}" for r in results]

    def _runs(self, call: NodeDef, data: Sequence[str], control: Sequence[str], body: Body) -> str:
        """Adds a node that runs when a call runs, in its frame and branch, for control inputs of nodes without inputs."""
        node = with_inputs(NodeDef(), [*data, *control])
        node.name, node.op = self.names.unique(f"{call.name}/runs"), "IdentityN"
        node.attr["T"].list.type.extend(argument.dtype for argument in body.arguments)
        self.nodes.append(node)
        return str(node.name)

    def _result_after(self, call: str, dtype: int, tensor: str, effects: Iterable[str]) -> str:
        """Adds an Identity of `tensor` with control inputs from `effects`."""
        node = with_inputs(NodeDef(), [tensor, *effects])
        node.name, node.op = self.names.unique(f"{call}/result"), "Identity"
        node.attr["T"].type = dtype
        self.nodes.append(node)
        return str(node.name)

    def _resolved(self, text: str) -> list[str]:
        todo, found, steps = [text], [], 0
        while todo:
            one = todo.pop()
            name, port = tensor_names.parsed(one)
            if name not in self.outputs:
                found.append(one)
                continue
            steps += 1
            if steps > _MAX_STEPS:
                raise InvalidInput(f"node {name!r}: calls form a cycle")
            if port == CONTROL:
                todo += self.after[name]
            elif port < len(self.outputs[name]):
                todo.append(self.outputs[name][port])
            else:
                raise InvalidInput(
                    f"the tensor {one!r} does not exist: the function has {len(self.outputs[name])} results"
                )
        return found

    def resolve(self, body: Body) -> Body:
        """Returns `body` with the added nodes."""
        nodes = tuple(
            with_inputs(node, [one for i in node.input for one in self._resolved(i)])
            for node in self.nodes
        )
        results = tuple(replace(r, tensor=self._resolved(r.tensor)[0]) for r in body.results)
        effects = tuple(one[1:] for e in body.effects for one in self._resolved(f"^{e}"))
        return replace(body, nodes=nodes, results=results, effects=effects)
