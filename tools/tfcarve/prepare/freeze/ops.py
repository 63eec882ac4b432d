"""OpDefs from TensorFlow and from the functions of a graph."""

import re
from collections.abc import Iterable, Iterator, Mapping

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.newer import check
from tfcarve.newer.data import Newer
from tfcarve.op_library import ADVICE
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.messages import (
    ArgDef,
    AttrValue,
    FunctionDef,
    NameAttrList,
    NodeDef,
    OpDef,
)

RESOURCE = dtypes.NUMBER_OF["resource"]
STRING = dtypes.NUMBER_OF["string"]
INT32 = dtypes.NUMBER_OF["int32"]
INT64 = dtypes.NUMBER_OF["int64"]
REF_OFFSET = 100

# The attributes of control flow ops that refer to functions; they are also part of the names of copied functions.
# Source: tensorflow/core/ops/functional_ops.cc.
CONTROL_FLOW: Mapping[str, tuple[str, ...]] = {
    "While": ("cond", "body"),
    "StatelessWhile": ("cond", "body"),
    "If": ("then_branch", "else_branch"),
    "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",),
    "StatelessCase": ("branches",),
}
CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
# Control flow with dead tensors: control inputs may determine the frame in which a node runs.
DATAFLOW_CONTROL = frozenset(
    ("Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit")
)
# Stateful ops that only read state: variables and tables are constant in a frozen graph.
_READS = frozenset((
    "VarHandleOp", "ReadVariableOp", "VarIsInitializedOp", "VariableShape", "ResourceGather", "ResourceGatherNd",
    "VariableV2", "Variable", "IsVariableInitialized", "HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2",
    "LookupTableFind", "LookupTableFindV2", "LookupTableSize", "LookupTableSizeV2",
    "LookupTableExport", "LookupTableExportV2",
))  # fmt: skip
# Ops of input pipelines: they have no place in a program that gets its inputs from an app.
_PIPELINE = re.compile(
    r"\w*(Dataset|Iterator|Queue|Reader)\w*|(OrderedMap|Map)?(Unstage|Stage)(Peek|Size|Clear|NoKey)?|Barrier\w+|RecordInput"
)


def is_pipeline(op: str) -> bool:
    """Returns whether an op is part of an input pipeline: a dataset, an iterator, a queue or a reader of records."""
    return _PIPELINE.fullmatch(op) is not None


def type_name(number: int) -> str:
    """Returns TensorFlow's name of a type, or the number if it is unknown."""
    return dtypes.enum_name(number) or str(number)


def functions_of(node: NodeDef) -> Iterator[NameAttrList]:
    """Yields the NameAttrLists in the attributes of a node, sorted by attribute name."""
    for key in sorted(node.attr):
        value = node.attr[key]
        if value.HasField("func"):
            yield value.func
        yield from value.list.func


class Ops:
    """OpDefs: TensorFlow's, and the signatures of a graph's functions.

    Attributes:
      evaluator: TensorFlow, which also computes values.
    """

    def __init__(
        self, functions: Iterable[FunctionDef], evaluator: Evaluator, newer: Newer
    ) -> None:
        """`newer` has the ops that are newer than the release that runs the frozen graph."""
        self.evaluator = evaluator
        self._newer = newer
        self._functions = {f.signature.name: f.signature for f in functions}

    def get(self, op: str) -> OpDef | None:
        """Returns the OpDef of an op, or None if it is unknown."""
        return self._functions.get(op) or self.evaluator.op_defs.get(op)

    def known(self, node: NodeDef) -> OpDef:
        """Returns the OpDef of `node`; raises InvalidInput if it is unknown."""
        found = self.get(node.op)
        if found is None and node.op in self._newer.ops:
            fault, fix = check.op_fault(node.op, self._newer), check.op_fix(self._newer)
            raise InvalidInput(f"node {node.name!r}: {fault}: it cannot be frozen: {fix}")
        if found is None:
            raise InvalidInput(
                f"node {node.name!r}: TensorFlow does not have the op {node.op}: {ADVICE}"
            )
        return found

    def is_stateful(self, node: NodeDef) -> bool:
        """Returns whether running the node may have side effects; an unknown op may."""
        found = self.get(node.op)
        if found is None:
            return True
        changes = self.changes_reference(node) and not node.op.startswith("Ref")
        return node.op not in _READS and (changes or bool(found.is_stateful))

    def only_reads(self, node: NodeDef) -> bool:
        """Returns whether the op reads state but does not change it."""
        return node.op in _READS

    def argument(self, node: NodeDef, number: int) -> ArgDef | None:
        """Returns the ArgDef of a data input; None if the op or the input is unknown."""
        definition = self.get(node.op)
        if definition is None:
            return None
        for arg in definition.input_arg:
            count = 1
            if arg.type_list_attr:
                count = len(_attr(node, definition, arg.type_list_attr).list.type)
            elif arg.number_attr:
                count = _attr(node, definition, arg.number_attr).i
            if number < count:
                return arg
            number -= count
        return None

    def changes_reference(self, node: NodeDef) -> bool:
        """Returns whether the op takes a variable by reference, so that it may change it."""
        found = self.get(node.op)
        return found is not None and any(arg.is_ref for arg in found.input_arg)

    def outputs(self, node: NodeDef) -> list[tuple[str, int]]:
        """Returns the output argument's name and the type of each output of `node`.

        Raises InvalidInput if the op is unknown or the node lacks an attribute.
        """
        definition = self.known(node)
        found: list[tuple[str, int]] = []
        for arg in definition.output_arg:
            if arg.type_list_attr:
                types = list(_attr(node, definition, arg.type_list_attr).list.type)
            else:
                one = arg.type or _attr(node, definition, arg.type_attr).type
                count = _attr(node, definition, arg.number_attr).i if arg.number_attr else 1
                if not 0 <= count <= _MAX_OUTPUTS:
                    raise InvalidInput(f"node {node.name!r}: {arg.number_attr} is {count}")
                types = [one] * count
            found += [(arg.name, kind) for kind in types]
        return found


_MAX_OUTPUTS = 1 << 16


def _attr(node: NodeDef, definition: OpDef, name: str) -> AttrValue:
    if name in node.attr:
        return node.attr[name]
    for attr in definition.attr:
        if attr.name == name and attr.HasField("default_value"):
            return attr.default_value
    raise InvalidInput(
        f"node {node.name!r}: {node.op} has no attribute {name!r}: the file is damaged"
    )
