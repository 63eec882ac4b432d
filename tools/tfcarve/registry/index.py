"""The kernel index as frozen values, and its JSON form."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.registry.attr_spec import Argument, Attr

VERSION = 1


@dataclass(frozen=True, slots=True)
class TensorflowFacts:
    """Which TensorFlow, as which build: what an index and a library must agree on."""

    version: str
    tree_sha256: str
    defines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """One kernel registration.

    Attributes:
      op: the op it computes.
      device: the device type (CPU, GPU, DEFAULT, …).
      constraints: attribute to the data types that it may have, sorted by attribute.
      attr_constraints: attribute to the other values that it may have.
      label: the value of the node's `_kernel` attribute.
      priority: which of several that match is taken: the greatest.
      host_memory: the arguments in host memory.
      system: registered whatever the selection says.
      clazz: the class text as the compiler's `#__VA_ARGS__` gives it.
      file: the source, relative to the tree.
      line: the line where the registration stands.
    """

    op: str
    device: str
    constraints: tuple[tuple[str, tuple[str, ...]], ...]
    attr_constraints: tuple[tuple[str, tuple[str | int | bool, ...]], ...]
    label: str
    priority: int
    host_memory: tuple[str, ...]
    system: bool
    clazz: str
    file: str
    line: int

    def sort_key(self) -> tuple[Any, ...]:
        """Returns what registrations are put in order by."""
        return (
            self.op,
            self.device,
            self.label,
            -self.priority,
            self.constraints,
            str(self.attr_constraints),
            self.file,
            self.line,
            self.clazz,
        )


@dataclass(frozen=True, slots=True)
class OpDefinition:
    """One op definition: where it is, its attributes, inputs and outputs in the order written."""

    name: str
    file: str
    line: int
    system: bool
    stateful: bool
    attrs: tuple[Attr, ...]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Gradient:
    """One gradient function of an op and the ops that it is made of; no function where the op has none by decree."""

    op: str
    function: str
    file: str
    line: int
    ops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A registration whose parts can't be told from the sources alone."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class KernelIndex:
    """All that a TensorFlow source tree registers."""

    tensorflow: TensorflowFacts
    registrations: tuple[Registration, ...]
    ops: tuple[OpDefinition, ...]
    gradients: tuple[Gradient, ...] = ()
    helpers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unresolved: tuple[Unresolved, ...] = ()

    def to_json(self) -> bytes:
        """Returns the JSON form: sorted, the same bytes for the same index."""
        facts = self.tensorflow
        document = {
            "version": VERSION,
            "tensorflow": {
                "version": facts.version,
                "tree_sha256": facts.tree_sha256,
                "defines": list(facts.defines),
            },
            "registrations": [_registration(r) for r in self.registrations],
            "ops": [_op(o) for o in self.ops],
            "gradients": [
                {
                    "op": g.op,
                    "function": g.function,
                    "file": g.file,
                    "line": g.line,
                    "ops": list(g.ops),
                }
                for g in self.gradients
            ],
            "helpers": {unit: list(files) for unit, files in sorted(self.helpers.items())},
            "unresolved": [{"file": u.file, "line": u.line, "why": u.why} for u in self.unresolved],
        }
        lines = ["{"]
        for key, value in document.items():
            if isinstance(value, list) and value:
                rows = ",\n".join(" " + _dump(row) for row in value)
                lines.append(f'"{key}": [\n{rows}\n],')
            else:
                lines.append(f'"{key}": {_dump(value)},')
        lines[-1] = lines[-1].removesuffix(",")
        return ("\n".join([*lines, "}"]) + "\n").encode()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _registration(r: Registration) -> dict[str, Any]:
    return {
        "op": r.op,
        "device": r.device,
        "constraints": {attr: list(types) for attr, types in r.constraints},
        "attr_constraints": {attr: list(values) for attr, values in r.attr_constraints},
        "label": r.label,
        "priority": r.priority,
        "host_memory": list(r.host_memory),
        "system": r.system,
        "class": r.clazz,
        "file": r.file,
        "line": r.line,
    }


def _argument(a: Argument) -> dict[str, Any]:
    pairs = {
        "type": a.type,
        "type_attr": a.type_attr,
        "number_attr": a.number_attr,
        "type_list_attr": a.type_list_attr,
    }
    row: dict[str, Any] = {"name": a.name, **{k: v for k, v in pairs.items() if v}}
    if a.ref:
        row["ref"] = True
    return row


def _op(o: OpDefinition) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    for a in o.attrs:
        row: dict[str, Any] = {"type": a.type}
        if a.default is not None:
            row["default"] = a.default
        if a.allowed:
            row["allowed"] = list(a.allowed)
        if a.minimum is not None:
            row["minimum"] = a.minimum
        attrs[a.name] = row
    return {
        "name": o.name,
        "file": o.file,
        "line": o.line,
        "system": o.system,
        "stateful": o.stateful,
        "attrs": attrs,
        "inputs": [_argument(a) for a in o.inputs],
        "outputs": [_argument(a) for a in o.outputs],
    }


def _keys(row: Any, known: Collection[str], where: str) -> None:
    if not isinstance(row, dict):
        raise InvalidInput(f"{where}: an object was expected")
    unknown = row.keys() - set(known)
    if unknown:
        raise InvalidInput(
            f"{where}: unknown key {min(unknown)!r}: known are {', '.join(sorted(known))}"
        )


def _row(row: Any, form: Mapping[str, Any], where: str) -> None:
    """Raises InvalidInput where `row` has keys that `form` has not, or values of another form."""
    _keys(row, form, where)
    try:
        json_form.check(row, form, where)
    except json_form.FormError as error:
        raise InvalidInput(str(error)) from None


_TOP = frozenset(
    ("version", "tensorflow", "registrations", "ops", "gradients", "helpers", "unresolved")
)
_REGISTRATION = {
    "op": str,
    "device": str,
    "constraints": Each([str]),
    "attr_constraints": Each([None]),
    "label": str,
    "priority": int,
    "host_memory": [str],
    "system": bool,
    "class": str,
    "file": str,
    "line": int,
}
_ATTR = {"type": str, "default": None, "allowed": [str], "minimum": int}
_ARGUMENT = {
    "name": str,
    "type": str,
    "type_attr": str,
    "number_attr": str,
    "type_list_attr": str,
    "ref": bool,
}
_OP = {
    "name": str,
    "file": str,
    "line": int,
    "system": bool,
    "stateful": bool,
    "attrs": Each(_ATTR),
    "inputs": [_ARGUMENT],
    "outputs": [_ARGUMENT],
}
_FACTS = {"version": str, "tree_sha256": str, "defines": [str]}
# What is looked at for the whole file at once; the rows of kernels and ops when they are asked for.
_FORM = {
    "gradients": [{"op": str, "function": str, "file": str, "line": int, "ops": [str]}],
    "helpers": Each([str]),
    "unresolved": [{"file": str, "line": int, "why": str}],
}


def _all_there(row: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    missing = sorted(set(keys) - row.keys())
    if missing:
        raise InvalidInput(f"{where}: key {missing[0]!r} is missing")


def facts_from_json(row: Any, where: str) -> TensorflowFacts:
    """Reads the "tensorflow" part that index.json and selection.json have in common."""
    _row(row, _FACTS, f'{where}: "tensorflow"')
    return TensorflowFacts(row["version"], row["tree_sha256"], tuple(row["defines"]))


def facts_to_json(facts: TensorflowFacts) -> dict[str, Any]:
    """Returns the "tensorflow" part as JSON's values."""
    return {
        "version": facts.version,
        "tree_sha256": facts.tree_sha256,
        "defines": list(facts.defines),
    }


def registration_from_json(row: Any, where: str) -> Registration:
    """Reads one registration; raises InvalidInput on an unknown key or a missing one."""
    _row(row, _REGISTRATION, f"{where}: registration")
    _all_there(row, _REGISTRATION.keys() - {"attr_constraints"}, f"{where}: registration")
    return Registration(
        row["op"],
        row["device"],
        tuple((a, tuple(t)) for a, t in row["constraints"].items()),
        tuple((a, tuple(v)) for a, v in row.get("attr_constraints", {}).items()),
        row["label"],
        row["priority"],
        tuple(row["host_memory"]),
        row["system"],
        row["class"],
        row["file"],
        row["line"],
    )


def op_from_json(row: Any, where: str) -> OpDefinition:
    """Reads one op definition; raises InvalidInput on an unknown key or a missing one."""
    _row(row, _OP, f"{where}: op")
    _all_there(row, ("name", "file", "line"), f"{where}: op")
    attrs = []
    for name, a in row.get("attrs", {}).items():
        _keys(a, _ATTR, f"{where}: op {row['name']}: attr {name}")
        _all_there(a, ("type",), f"{where}: op {row['name']}: attr {name}")
        attrs.append(
            Attr(name, a["type"], a.get("default"), tuple(a.get("allowed", ())), a.get("minimum"))
        )

    def arguments(rows: Iterable[Any]) -> tuple[Argument, ...]:
        made = []
        for a in rows:
            _keys(a, _ARGUMENT, f"{where}: op {row['name']}: argument")
            _all_there(a, ("name",), f"{where}: op {row['name']}: argument")
            made.append(Argument(**a))
        return tuple(made)

    return OpDefinition(
        row["name"], row["file"], row["line"], row.get("system", False), row.get("stateful", False),
        tuple(attrs), arguments(row.get("inputs", ())), arguments(row.get("outputs", ())),
    )  # fmt: skip


@dataclass(frozen=True)
class IndexFile:
    """An index as loaded from JSON, its rows made into values only when asked for.

    A selection looks at a few dozen ops of 1,700: making all would take longer
    than all the rest of it.
    """

    where: str
    tensorflow: TensorflowFacts
    helpers: Mapping[str, tuple[str, ...]]
    unresolved: tuple[Unresolved, ...]
    _registrations: Mapping[str, list[Any]]
    _ops: Mapping[str, Any]
    _gradients: list[Any]

    def op_names(self) -> tuple[str, ...]:
        """Returns the names of all ops that are defined, sorted."""
        return tuple(sorted(self._ops))

    def kernel_op_names(self) -> tuple[str, ...]:
        """Returns the names of all ops that have a kernel, sorted."""
        return tuple(sorted(self._registrations))

    def op(self, name: str) -> OpDefinition | None:
        """Returns the definition of the op `name`, or None."""
        row = self._ops.get(name)
        return None if row is None else op_from_json(row, self.where)

    def registrations(self, op: str) -> tuple[Registration, ...]:
        """Returns the registrations for `op`, in the index's order."""
        return tuple(
            registration_from_json(row, self.where) for row in self._registrations.get(op, ())
        )

    def gradients(self) -> tuple[Gradient, ...]:
        """Returns all gradients, in the index's order."""
        return tuple(
            Gradient(g["op"], g["function"], g["file"], g["line"], tuple(g.get("ops", ())))
            for g in self._gradients
        )

    def extended(
        self,
        registrations: Iterable[Registration],
        ops: Iterable[OpDefinition],
        unresolved: Iterable[Unresolved],
    ) -> "IndexFile":
        """Returns this index with more registrations and ops; an op of the same name takes the place of the old one."""
        more = {op: list(rows) for op, rows in self._registrations.items()}
        for registration in registrations:
            more.setdefault(registration.op, []).append(_registration(registration))
        return replace(
            self,
            unresolved=(*self.unresolved, *unresolved),
            _registrations=more,
            _ops={**self._ops, **{o.name: _op(o) for o in ops}},
        )

    def load(self) -> KernelIndex:
        """Returns the whole index as values."""
        return KernelIndex(
            self.tensorflow,
            tuple(
                registration_from_json(r, self.where)
                for rows in self._registrations.values()
                for r in rows
            ),
            tuple(op_from_json(o, self.where) for o in self._ops.values()),
            self.gradients(),
            self.helpers,
            self.unresolved,
        )


def parse(data: bytes, where: str) -> IndexFile:
    """Reads index.json.

    Args:
      data: the file's content.
      where: its name, for messages.
    Raises InvalidInput where it is no index, has unknown keys or another version.
    """
    try:
        document = json_form.loads(data)
        _keys(document, _TOP, where)
        if document.get("version") != VERSION:
            raise InvalidInput(
                f"{where}: index of version {document.get('version')!r}, this tfcarve reads version {VERSION}: make it again"
            )
        json_form.check(document, _FORM, "index")
        registrations: dict[str, list[Any]] = {}
        for row in document["registrations"]:
            registrations.setdefault(row["op"], []).append(row)
        ops = {row["name"]: row for row in document["ops"]}
        for row in document.get("gradients", ()):
            _all_there(row, ("op", "function", "file", "line"), f"{where}: gradient")
        if not all(isinstance(name, str) for name in (*registrations, *ops)):
            raise json_form.FormError("an op's name is no string")
        return IndexFile(
            where,
            facts_from_json(document["tensorflow"], where),
            {unit: tuple(files) for unit, files in document.get("helpers", {}).items()},
            tuple(
                Unresolved(u["file"], u["line"], u["why"]) for u in document.get("unresolved", ())
            ),
            registrations,
            ops,
            document.get("gradients", []),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            f"{where}: no index.json: {error}: make it with `tfcarve index`"
        ) from None
