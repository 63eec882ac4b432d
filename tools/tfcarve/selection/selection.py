"""A selection as frozen values, and its JSON form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfcarve import json_form
from tfcarve.errors import BadInput
from tfcarve.json_form import Each
from tfcarve.registry.index import TensorflowFacts, facts_from_json, facts_to_json

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class ModelFacts:
    """Which file a model was."""

    path: str
    sha256: str
    format: str


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


@dataclass(frozen=True, slots=True)
class SelectedOp:
    """An op whose definition must be registered, the file that does it, who needs it."""

    name: str
    file: str
    system: bool
    needed_by: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class SelectedKernel:
    """A kernel that must be registered; a system kernel registers itself once its file is compiled."""

    op: str
    clazz: str
    file: str
    constraints: tuple[tuple[str, tuple[str, ...]], ...]
    label: str
    system: bool
    needed_by: tuple[Need, ...]


@dataclass(frozen=True, slots=True, order=True)
class RuntimeOp:
    """An op that the runtime adds by itself, and the rule in runtime_ops.yaml that says so."""

    op: str
    rule: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What a set of models needs of TensorFlow."""

    tensorflow: TensorflowFacts
    models: tuple[ModelFacts, ...]
    ops: tuple[SelectedOp, ...]
    kernels: tuple[SelectedKernel, ...]
    files: tuple[str, ...]
    helpers: tuple[str, ...]
    added_by_runtime: tuple[RuntimeOp, ...]

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
        return {file: tuple(sorted(names)) for file, names in sorted(found.items())}

    def to_json(self) -> bytes:
        """Returns the JSON form: sorted, the same bytes for the same selection."""
        document = {
            "version": VERSION,
            "tensorflow": facts_to_json(self.tensorflow),
            "models": [
                {"path": m.path, "sha256": m.sha256, "format": m.format} for m in self.models
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
                }
                for k in self.kernels
            ],
            "files": list(self.files),
            "helpers": list(self.helpers),
            "added_by_runtime": [{"op": r.op, "rule": r.rule} for r in self.added_by_runtime],
        }
        return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _needs(needs: tuple[Need, ...]) -> list[dict[str, str]]:
    return [
        {"model": n.model, "node": n.node, **({"function": n.function} if n.function else {})}
        for n in needs
    ]


_KEYS: Mapping[str, frozenset[str]] = {
    "selection": frozenset(
        (
            "version",
            "tensorflow",
            "models",
            "ops",
            "kernels",
            "files",
            "helpers",
            "added_by_runtime",
        )
    ),
    "model": frozenset(("path", "sha256", "format")),
    "op": frozenset(("name", "file", "system", "needed_by")),
    "kernel": frozenset(("op", "class", "file", "constraints", "label", "system", "needed_by")),
    "needed_by": frozenset(("model", "node", "function")),
    "added_by_runtime": frozenset(("op", "rule")),
}

_NEEDS = [{"model": str, "node": str, "function": str}]
_FORM = {
    "models": [{"path": str, "sha256": str, "format": str}],
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
        }
    ],
    "files": [str],
    "helpers": [str],
    "added_by_runtime": [{"op": str, "rule": str}],
}


def _checked(row: Any, kind: str, where: str) -> Any:
    if not isinstance(row, dict):
        raise BadInput(f"{where}: {kind}: an object was expected")
    unknown = row.keys() - _KEYS[kind]
    if unknown:
        raise BadInput(
            f"{where}: {kind}: unknown key {min(unknown)!r}: known are {', '.join(sorted(_KEYS[kind]))}"
        )
    return row


def _read_needs(rows: Any, where: str) -> tuple[Need, ...]:
    return tuple(
        Need(n["model"], n.get("function", ""), n["node"])
        for n in (_checked(row, "needed_by", where) for row in rows)
    )


def parse(data: bytes, where: str) -> Selection:
    """Reads selection.json; raises BadInput where it is none, or has unknown keys or another version.

    Args:
      data: the file's content.
      where: its name, for messages.
    """
    try:
        document = _checked(json.loads(data), "selection", where)
        if document.get("version") != VERSION:
            raise BadInput(
                f"{where}: selection of version {document.get('version')!r}, this tfcarve reads version {VERSION}: "
                "make it again with `tfcarve select`"
            )
        json_form.check(document, _FORM, "selection")
        models = [_checked(m, "model", where) for m in document["models"]]
        ops = [_checked(o, "op", where) for o in document["ops"]]
        kernels = [_checked(k, "kernel", where) for k in document["kernels"]]
        added = [_checked(r, "added_by_runtime", where) for r in document["added_by_runtime"]]
        made = Selection(
            facts_from_json(document["tensorflow"], where),
            tuple(ModelFacts(m["path"], m["sha256"], m["format"]) for m in models),
            tuple(
                SelectedOp(
                    o["name"], o["file"], o.get("system", False), _read_needs(o["needed_by"], where)
                )
                for o in ops
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
                )
                for k in kernels
            ),
            tuple(document["files"]),
            tuple(document.get("helpers", ())),
            tuple(RuntimeOp(r["op"], r["rule"]) for r in added),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(
            f"{where}: no selection.json: {error}: make it with `tfcarve select`"
        ) from None
    unlisted = {o.file for o in made.ops} | {k.file for k in made.kernels}
    if not unlisted <= set(made.files):
        raise BadInput(
            f'{where}: {min(unlisted - set(made.files))} is needed but not in "files": make it again'
        )
    return made
