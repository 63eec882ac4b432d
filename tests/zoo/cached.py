"""The models of the zoo as files in the user's cache, with the results of TensorFlow's own tool."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from tfcarve import files
from zoo import boxes, sequences, signals, tables, tensorflow1, upstream, vision
from zoo.building import Builders, Saved
from zoo.upstream import Pair

MODELS: Builders = {
    **vision.MODELS,
    **boxes.MODELS,
    **sequences.MODELS,
    **signals.MODELS,
    **tables.MODELS,
    **tensorflow1.MODELS,
}

_RESULTS = "found.json"


@dataclass(frozen=True)
class CachedModel:
    """A model file, and the ops and kernel classes that TensorFlow's own tool finds.

    Attributes:
      model: the file, or the SavedModel directory.
      found: the tool's result for the whole file.
      found_reachable: the tool's result without functions that are never called.
    """

    model: Path
    found: frozenset[Pair]
    found_reachable: frozenset[Pair]


def _key() -> str:
    """Returns a hash of everything that the models depend on: the builders' sources and the libraries' versions."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        if not source.name.startswith("test_"):
            digest.update(hashlib.sha256(source.read_bytes()).digest())
    for library in ("tensorflow-cpu", "keras", "numpy"):
        digest.update(metadata.version(library).encode())
    return digest.hexdigest()[:16]


def load(name: str) -> CachedModel:
    """Returns the model with this name; builds it if it is not cached. Tests that run at the same time share the cache."""
    folder = files.cache_directory() / "zoo" / _key() / re.sub(r"\W+", "_", name)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as made:
            _write(name, Path(made))
            # Fails if another test has built the model in the meantime.
            with contextlib.suppress(OSError):
                os.rename(made, folder)
    whole, reachable = json.loads((folder / _RESULTS).read_bytes())
    saved = folder / "saved_model"
    model = saved if saved.is_dir() else folder / "model.pb"
    return CachedModel(model, _pairs(whole), _pairs(reachable))


def _write(name: str, folder: Path) -> None:
    """Builds the model and writes it to the folder, with what TensorFlow's own tool finds."""
    graph = _build(name, folder)
    found = (upstream.pairs(graph), upstream.pairs(upstream.without_uncalled(graph)))
    rows = [sorted(map(list, pairs), key=str) for pairs in found]
    files.write_if_changed(folder / _RESULTS, json.dumps(rows).encode())


def _build(name: str, folder: Path) -> Any:
    """Builds the model and writes it to the folder; returns its graph."""
    built = MODELS[name]()
    if isinstance(built, Saved):
        built.write(folder / "saved_model")
        return upstream.graph_of(folder / "saved_model/saved_model.pb")
    (folder / "model.pb").write_bytes(built.SerializeToString(deterministic=True))
    return built


def _pairs(rows: list[list[Any]]) -> frozenset[Pair]:
    return frozenset((op, clazz) for op, clazz in rows)
