"""A selection as frozen values, and its JSON form."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.registry.index import TensorflowFacts, facts_from_json, facts_to_json

VERSION = 1
# The op that calls gradient functions.
GRADIENT_OP = "SymbolicGradient"
_NEEDS_SHOWN = 3


@dataclass(frozen=True, slots=True, order=True)
class ModelFacts:
    """Which file a model was, and what of it was selected: of a SavedModel the signatures."""

    path: str
    sha256: str
    format: str
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Need:
    """A node that needs something; `function` is empty for the graph itself."""

    model: str
    function: str
    node: str

    def text(self) -> str:
        """Returns the need for a message."""
        inside = f" in function {self.function}" if self.function else ""
        return f"{self.model}: node {self.node!r}{inside}"


def shown(needs: Iterable[Need]) -> tuple[str, ...]:
    """Returns the first of `needs` for a message, and how many more there are; of none, who it is for then."""
    texts = [need.text() for need in needs]
    first = texts[:_NEEDS_SHOWN]
    if len(texts) > len(first):
        first.append(f"{len(texts) - len(first)} more nodes")
    return tuple(first) or ("TensorFlow's runtime",)


@dataclass(frozen=True, slots=True)
class SelectedOp:
    """An op whose definition must be registered, the file that does it, who needs it."""

    name: str
    file: str
    system: bool
    needed_by: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class SelectedKernel:
    """A kernel that must be registered; a system kernel registers itself once its file is compiled.

    `why` says, for all nodes that need it, why it is this kernel and no other one.
    """

    op: str
    clazz: str
    file: str
    constraints: tuple[tuple[str, tuple[str, ...]], ...]
    label: str
    system: bool
    needed_by: tuple[Need, ...]
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Leftover:
    """What nodes of an op are left over from training, all of one kind of leftover_ops.yaml.

    Attributes:
      kind: which kind.
      op: the op.
      alone: nothing else needs the op: without these nodes it is not selected.
      transform: what removes the nodes.
      needed_by: the nodes.
    """

    kind: str
    op: str
    alone: bool
    transform: str
    needed_by: tuple[Need, ...]


@dataclass(frozen=True, slots=True, order=True)
class RuntimeOp:
    """An op that the runtime adds by itself, and the rule in runtime_ops.yaml that says so."""

    op: str
    rule: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What a set of models needs of TensorFlow.

    `helpers` are the sources that those of `files` need to link, `helpers_of` says which needs which.
    `gradient_files` are those of `files` that register gradients, which TensorFlow does where it is told to
    register the op SymbolicGradient.
    """

    tensorflow: TensorflowFacts
    models: tuple[ModelFacts, ...]
    ops: tuple[SelectedOp, ...]
    kernels: tuple[SelectedKernel, ...]
    files: tuple[str, ...]
    helpers: tuple[str, ...]
    added_by_runtime: tuple[RuntimeOp, ...]
    helpers_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    gradient_files: tuple[str, ...] = ()

    def classes_by_file(self) -> dict[str, tuple[str, ...]]:
        """Returns, for each file, the kernel classes to list for it: none that register themselves."""
        found: dict[str, set[str]] = {f: set() for f in self.files}
        for kernel in self.kernels:
            if not kernel.system:
                found[kernel.file].add(kernel.clazz)
        return {file: tuple(sorted(classes)) for file, classes in sorted(found.items())}

    def ops_by_file(self) -> dict[str, tuple[str, ...]]:
        """Returns, for each file, the ops to list for it: those it defines and those its kernels compute."""
        found: dict[str, set[str]] = {f: set() for f in self.files}
        for op in self.ops:
            if not op.system:
                found[op.file].add(op.name)
        for kernel in self.kernels:
            if not kernel.system:
                found[kernel.file].add(kernel.op)
        for file in self.gradient_files:
            found[file].add(GRADIENT_OP)
        return {file: tuple(sorted(names)) for file, names in sorted(found.items())}

    def to_json(self) -> bytes:
        """Returns the JSON form: sorted, the same bytes for the same selection."""
        document = {
            "version": VERSION,
            "tensorflow": facts_to_json(self.tensorflow),
            "models": [
                {
                    "path": m.path,
                    "sha256": m.sha256,
                    "format": m.format,
                    "signatures": list(m.signatures),
                }
                for m in self.models
            ],
            "ops": [
                {
                    "name": o.name,
                    "file": o.file,
                    "system": o.system,
                    "needed_by": _needs(o.needed_by),
                }
                for o in self.ops
            ],
            "kernels": [
                {
                    "op": k.op,
                    "class": k.clazz,
                    "file": k.file,
                    "constraints": {a: list(t) for a, t in k.constraints},
                    "label": k.label,
                    "system": k.system,
                    "needed_by": _needs(k.needed_by),
                    "why": list(k.why),
                }
                for k in self.kernels
            ],
            "files": list(self.files),
            "helpers": list(self.helpers),
            "helpers_of": {file: list(helpers) for file, helpers in self.helpers_of},
            "added_by_runtime": [{"op": r.op, "rule": r.rule} for r in self.added_by_runtime],
            "leftovers": [
                {
                    "kind": x.kind,
                    "op": x.op,
                    "alone": x.alone,
                    "transform": x.transform,
                    "needed_by": _needs(x.needed_by),
                }
                for x in self.leftovers
            ],
            "gradient_files": list(self.gradient_files),
        }
        return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _needs(needs: tuple[Need, ...]) -> list[dict[str, str]]:
    return [
        {"model": n.model, "node": n.node, **({"function": n.function} if n.function else {})}
        for n in needs
    ]


_NEEDS = [{"model": str, "node": str, "function": str}]
_FORM: Mapping[str, Any] = {
    "version": int,
    "tensorflow": None,
    "models": [{"path": str, "sha256": str, "format": str, "signatures": [str]}],
    "ops": [{"name": str, "file": str, "system": bool, "needed_by": _NEEDS}],
    "kernels": [
        {
            "op": str,
            "class": str,
            "file": str,
            "constraints": Each([str]),
            "label": str,
            "system": bool,
            "needed_by": _NEEDS,
            "why": [str],
        }
    ],
    "files": [str],
    "helpers": [str],
    "helpers_of": Each([str]),
    "added_by_runtime": [{"op": str, "rule": str}],
    "leftovers": [{"kind": str, "op": str, "alone": bool, "transform": str, "needed_by": _NEEDS}],
    "gradient_files": [str],
}


def _checked(row: Any, kind: str, form: Mapping[str, Any], where: str) -> Any:
    """Returns `row`; raises InvalidInput where it is no object or has keys that `form` has not."""
    if not isinstance(row, dict):
        raise InvalidInput(f"{where}: {kind}: an object was expected")
    unknown = row.keys() - form.keys()
    if unknown:
        raise InvalidInput(
            f"{where}: {kind}: unknown key {min(unknown)!r}: known are {', '.join(sorted(form))}"
        )
    return row


def _rows(document: Any, key: str, where: str) -> list[Any]:
    form = _FORM[key][0]
    return [_checked(row, key, form, where) for row in document.get(key, ())]


def _read_needs(rows: Any, where: str) -> tuple[Need, ...]:
    return tuple(
        Need(n["model"], n.get("function", ""), n["node"])
        for n in (_checked(row, "needed_by", _NEEDS[0], where) for row in rows)
    )


def parse(data: bytes, where: str) -> Selection:
    """Reads selection.json; raises InvalidInput where it is none, or has unknown keys or another version.

    Args:
      data: the file's content.
      where: its name, for messages.
    """
    try:
        document = _checked(json_form.loads(data), "selection", _FORM, where)
        if document.get("version") != VERSION:
            raise InvalidInput(
                f"{where}: selection of version {document.get('version')!r}, this tfcarve reads version {VERSION}: "
                "make it again with `tfcarve select`"
            )
        json_form.check(document, _FORM, "selection")
        made = Selection(
            facts_from_json(document["tensorflow"], where),
            tuple(
                ModelFacts(m["path"], m["sha256"], m["format"], tuple(m.get("signatures", ())))
                for m in _rows(document, "models", where)
            ),
            tuple(
                SelectedOp(
                    o["name"], o["file"], o.get("system", False), _read_needs(o["needed_by"], where)
                )
                for o in _rows(document, "ops", where)
            ),
            tuple(
                SelectedKernel(
                    k["op"],
                    k["class"],
                    k["file"],
                    tuple((a, tuple(t)) for a, t in k["constraints"].items()),
                    k.get("label", ""),
                    k.get("system", False),
                    _read_needs(k["needed_by"], where),
                    tuple(k.get("why", ())),
                )
                for k in _rows(document, "kernels", where)
            ),
            tuple(document["files"]),
            tuple(document.get("helpers", ())),
            tuple(
                RuntimeOp(r["op"], r["rule"]) for r in _rows(document, "added_by_runtime", where)
            ),
            tuple((file, tuple(h)) for file, h in document.get("helpers_of", {}).items()),
            tuple(
                Leftover(
                    x["kind"],
                    x["op"],
                    x["alone"],
                    x["transform"],
                    _read_needs(x["needed_by"], where),
                )
                for x in _rows(document, "leftovers", where)
            ),
            tuple(document.get("gradient_files", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            f"{where}: no selection.json: {error}: make it with `tfcarve select`"
        ) from None
    unlisted = {o.file for o in made.ops} | {k.file for k in made.kernels} | {*made.gradient_files}
    if not unlisted <= set(made.files):
        raise InvalidInput(
            f'{where}: {min(unlisted - set(made.files))} is needed but not in "files": make it again'
        )
    return made
