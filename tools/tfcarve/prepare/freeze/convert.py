"""Replaces variables and tables with constants, in a graph and in the functions of its control flow.

Source of the ops that read them: tensorflow/core/ops/{resource_variable,state,lookup}_ops.cc.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import Names
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze import handle_types, lookups, nodes, tensor_names
from tfcarve.prepare.freeze.bodies import Argument, Body, copied, with_inputs
from tfcarve.prepare.freeze.handles import Handle, Port, propagate
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.ops import (
    CONTROL_FLOW,
    DATAFLOW_CONTROL,
    INT32,
    Ops,
    functions_of,
)
from tfcarve.prepare.freeze.stores import INITIALIZED, VARIABLES
from tfcarve.prepare.freeze.tables import TABLES
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

# Returns the variable or table that a node creates.
Find = Callable[[NodeDef], Handle]


class _BodyConverter:
    """Converts one body; the program converts the functions of its control flow."""

    def __init__(self, program: "_ProgramConverter", body: Body, handles: Sequence[Handle | None]):
        self._program = program
        self._body = body
        self._names = Names({n.name for n in body.nodes} | {a.name for a in body.arguments})
        self._framed = any(node.op in DATAFLOW_CONTROL for node in body.nodes)
        self._constants: dict[tuple[str, str], str] = {}
        known: dict[Port, Handle] = {
            (argument.name, 0): handle
            for argument, handle in zip(body.arguments, handles, strict=True)
            if handle
        }
        for node in body.nodes:
            if node.op in VARIABLES | TABLES:
                known[node.name, 0] = program.find(node)
        self._handles = propagate(body.nodes, known)
        self._created: list[NodeDef] = []

    def converted(self) -> Body:
        """Returns the body without variables and tables."""
        for node in self._body.nodes:
            handles = {
                number: handle
                for number, i in enumerate(node.input)
                if (handle := self._handles.get(tensor_names.parsed(i)))
            }
            if node.op in VARIABLES | TABLES:
                self._created.append(
                    nodes.constant(node.name, self._program.find(node).value, node.input)
                )
            elif handles:
                self._created += self._reader(node, handles)
            else:
                self._created.append(node)
        arguments = tuple(
            Argument(a.name, h.dtype) if (h := self._handles.get((a.name, 0))) else a
            for a in self._body.arguments
        )
        results = tuple(
            replace(r, dtype=h.dtype)
            if (h := self._handles.get(tensor_names.parsed(r.tensor)))
            else r
            for r in self._body.results
        )
        return replace(self._body, nodes=tuple(self._created), arguments=arguments, results=results)

    def _constant(self, node: NodeDef, of: str, name: str, value: Array) -> str:
        """Returns the name of a Const with `value`, which all lookups in the table `of` share."""
        if self._framed:  # it must be in the frame and branch of the node
            place = f"^{tensor_names.parsed(node.input[1])[0]}"
            created = nodes.constant(self._names.unique(f"{node.name}/{name}"), value, [place])
        elif (of, name) in self._constants:
            return self._constants[of, name]
        else:
            created = nodes.constant(self._names.unique(f"{of}/{name}"), value, ())
            self._constants[of, name] = created.name
        self._created.append(created)
        return str(created.name)

    def _known(self, node: NodeDef, handle: Handle, value: Array) -> list[NodeDef]:
        """Returns the replacement of a node that reads `handle` and has a known value."""
        control = [i for i in node.input if i.startswith("^")]
        if not self._framed:
            return [nodes.constant(node.name, value, control)]
        # The Const must run when the node runs: in its frame, and not in a branch that is not taken.
        runs = nodes.make(
            self._names.unique(f"{node.name}/runs"),
            "Identity",
            [node.input[0]],
            {"T": handle.dtype},
        )
        return [runs, nodes.constant(node.name, value, [f"^{runs.name}", *control])]

    def _reader(self, node: NodeDef, handles: dict[int, Handle]) -> list[NodeDef]:
        """Returns the replacement of a node that reads the variables and tables `handles`, by input number."""
        if node.op in ("Identity", "IdentityN") or node.op in DATAFLOW_CONTROL | {"NextIteration"}:
            return [handle_types.forwarding_node(node, handles)]
        if node.op in CONTROL_FLOW:
            return [self._control_flow(node, handles)]
        handle = handles.get(0)
        if handle is not None and handle.content is not None:
            return self._lookup(node, handle)
        if handle is not None and node.op in INITIALIZED:
            return self._known(node, handle, np.array(True))
        if handle is not None and node.op in _READERS:
            return self._read(node, handle)
        if node.op.startswith("Ref") and node.op[3:] in _WITHOUT_REF:
            created = copied(node)
            created.op = node.op[3:]
            return [created]
        return [node]

    def _read(self, node: NodeDef, handle: Handle) -> list[NodeDef]:
        created = copied(node)
        created.ClearField("attr")
        created.op, types = _READERS[node.op]
        dtype = handle.dtype
        for key in types:
            created.attr[key].type = dtype
        if node.op == "VariableShape":
            created.attr["out_type"].type = node.attr["out_type"].type or INT32
        elif node.op == "ResourceGather":
            batch = node.attr["batch_dims"].i
            axis = self._constant(node, node.name, "axis", np.array(batch, np.int32))
            data = [i for i in node.input if not i.startswith("^")]
            created = with_inputs(created, [*data, axis, *node.input[len(data) :]])
            created.attr["Taxis"].type = INT32
            created.attr["batch_dims"].i = batch
        if node.op.startswith("ResourceGather"):
            created.attr["Tindices"].type = node.attr["Tindices"].type
        return [created]

    def _lookup(self, node: NodeDef, handle: Handle) -> list[NodeDef]:
        content = handle.content
        assert content is not None
        if node.op.startswith("LookupTableFind"):
            prefix = self._names.unique(f"{node.name}/lookup")

            def constant(name: str, value: Array) -> str:
                return self._constant(node, handle.name, name, value)

            return lookups.find(node, prefix, content, constant, self._program.evaluator)
        if node.op.startswith("LookupTableSize"):
            return self._known(node, handle, np.array(len(content.keys), np.int64))
        raise InvalidInput(
            f"node {node.name!r}: {node.op} lists {handle.description} when the model runs: a frozen graph can only look "
            "up keys: choose --outputs that do not need this node"
        )

    def _control_flow(self, node: NodeDef, handles: dict[int, Handle]) -> NodeDef:
        inner = handle_types.function_arguments(node, handles)
        for function in functions_of(node):
            self._program.function(function.name, inner, node)
        return handle_types.control_flow_node(node, handles)


# The replacement of each op that reads a variable, and its attributes with the variable's type.
_READERS = {
    "ReadVariableOp": ("Identity", ("T",)),
    "VariableShape": ("Shape", ("T",)),
    "ResourceGather": ("GatherV2", ("Tparams",)),
    "ResourceGatherNd": ("GatherNd", ("Tparams",)),
}
_WITHOUT_REF = frozenset(("Switch", "Merge", "Enter", "Exit", "NextIteration", "Identity"))


class _ProgramConverter:
    def __init__(self, program: Program, find: Find, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.functions: dict[str, Body] = {}
        self._program = program
        self._find = find
        self._found: dict[tuple[str, bytes], Handle] = {}

    def find(self, node: NodeDef) -> Handle:
        """Returns the variable or table that a node creates."""
        key = (node.name, node.attr["shared_name"].s)
        if key not in self._found:
            self._found[key] = self._find(node)
        return self._found[key]

    def function(self, name: str, handles: Sequence[Handle | None], caller: NodeDef) -> None:
        """Converts a function of control flow."""
        body = self._program.functions[name]
        if len(body.arguments) != len(handles):
            raise InvalidInput(
                f"node {caller.name!r}: {len(handles)} inputs for a function with {len(body.arguments)} arguments"
            )
        created = self.body(body, handles)
        if "While" not in caller.op and created.results != body.results:
            raise InvalidInput(
                f"node {caller.name!r}: a branch returns a variable or table, which is unknown before the model runs"
            )
        self.functions[name] = created

    def body(self, body: Body, handles: Sequence[Handle | None]) -> Body:
        """Converts `body`; `handles` are the variables and tables among its arguments."""
        converted = _BodyConverter(self, body, handles).converted()
        for node in converted.nodes:
            if node.op in CONTROL_FLOW:
                self._convert_functions(node)
        return converted

    def _convert_functions(self, node: NodeDef) -> None:
        for function in functions_of(node):
            if function.name not in self.functions:
                body = self._program.functions[function.name]
                self.function(function.name, [None] * len(body.arguments), node)


def converted(program: Program, find: Find, ops: Ops) -> Program:
    """Replaces the variables and tables of `program` with constants.

    Args:
      program: a graph and the functions of its control flow.
      find: returns the variable or table that a node creates; may raise InvalidInput.
      ops: the OpDefs.
    Raises InvalidInput if a node lists a table. No node may change a variable or table.
    """
    converter = _ProgramConverter(program, find, ops.evaluator)
    main = converter.body(program.main, ())
    return Program(main, converter.functions)
