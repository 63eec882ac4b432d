"""Ops lists: ops and kernels asked for by name.

JSON, TensorFlow's own form: `[["MatMul", "MatMulOp<CPUDevice, float>"], ["Add", null]]`.
YAML: `ops` (names, or mappings of op, types, classes), `dtypes` for those
without types of their own, `training` (true: what is selected must be trainable).
"""

from dataclasses import dataclass
from typing import Any

from tfcarve import dtypes, json_form
from tfcarve.models import yaml_form
from tfcarve.models.graph_def import is_op_name
from tfcarve.models.node_use import RequestedOp

_TOP = frozenset(("ops", "dtypes", "training"))
# Five times all the ops and kernels of TensorFlow.
_MOST_ENTRIES = 50_000
_OP = frozenset(("op", "types", "classes"))


@dataclass(frozen=True, slots=True)
class OpsList:
    """What a list asks for, and whether gradients and optimizers are to come along."""

    asks: tuple[RequestedOp, ...]
    training: bool = False


class ListError(ValueError):
    """The list is not as it must be: says which entry and what would be right."""


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not is_op_name(value):
        raise ListError(f"{where}: {value!r:.60} is no name of an op")
    return value


def _types(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise ListError(f"{where}: a list of data types was expected")
    found = []
    for value in values:
        name = dtypes.from_spec(value) if isinstance(value, str) else None
        if name is None:
            raise ListError(
                f"{where}: unknown data type {value!r:.40}: known are {', '.join(dtypes.NUMBER_OF)}"
            )
        found.append(name)
    return tuple(found)


def from_json(text: str) -> OpsList:
    """Reads TensorFlow's JSON form; raises ListError where it is something else."""
    try:
        document = json_form.loads(text)
    except ValueError as error:
        raise ListError(f"no JSON: {error}") from None
    if not isinstance(document, list) or not document:
        raise ListError('a list of ["op", "kernel class"] was expected')
    if len(document) > _MOST_ENTRIES:
        raise ListError(f"{len(document)} entries: at most {_MOST_ENTRIES}")
    asks = []
    for number, row in enumerate(document):
        where = f"entry {number}"
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], str | None):
            raise ListError(f'{where}: ["op", "kernel class" or null] was expected')
        asks.append(RequestedOp(_name(row[0], where), row[1] or ""))
    return OpsList(tuple(dict.fromkeys(asks)))


def from_yaml(text: str) -> OpsList:
    """Reads the YAML form; raises ListError where it is something else."""
    try:
        document = yaml_form.load(text)
    except yaml_form.YamlError as error:
        raise ListError(str(error)) from None
    if not isinstance(document, dict):
        raise ListError("a list `ops` was expected")
    training = document.get("training", False)
    if not isinstance(training, bool):
        raise ListError(f"training: true or false was expected, not {training!r:.40}")
    rows = document.get("ops", [])
    if not isinstance(rows, list) or not (rows or training):
        raise ListError("a list `ops` was expected")
    if document.keys() - _TOP:
        raise ListError(
            f"unknown key {sorted(map(str, document.keys() - _TOP))[0]!r}: known are {', '.join(sorted(_TOP))}"
        )
    common = _types(document.get("dtypes", []), "dtypes")
    asks: list[RequestedOp] = []
    for number, row in enumerate(rows):
        where = f"entry {number} of ops"
        if isinstance(row, str):
            asks.append(RequestedOp(_name(row, where), None, common))
            continue
        if not isinstance(row, dict) or row.keys() - _OP or "op" not in row:
            raise ListError(
                f"{where}: a name or a mapping of {', '.join(sorted(_OP))} was expected"
            )
        op = _name(row["op"], where)
        classes = row.get("classes", [])
        if not isinstance(classes, list) or not all(isinstance(c, str) for c in classes):
            raise ListError(f"{where}: classes: a list of kernel classes was expected")
        asks += [RequestedOp(op, c) for c in classes]
        if not classes or "types" in row:
            asks.append(RequestedOp(op, None, _types(row.get("types", list(common)), where)))
    return OpsList(tuple(dict.fromkeys(asks)), training)
