"""Models of the zoo as files, made once and kept in the user's cache, with the peer's answer."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from tfcarve import files
from zoo import boxes, first, peer, sequences, signals, tables, vision
from zoo.making import Makers, Saved
from zoo.peer import Pair

MODELS: Makers = {
    **vision.MODELS,
    **boxes.MODELS,
    **sequences.MODELS,
    **signals.MODELS,
    **tables.MODELS,
    **first.MODELS,
}


@dataclass(frozen=True)
class Kept:
    """A model as a user would give it, and what TensorFlow's own tool finds.

    `found` is what it finds in all of the file, `found_running` what it finds once functions
    that nothing calls are left out.
    """

    model: Path
    found: frozenset[Pair]
    found_running: frozenset[Pair]


def _key() -> str:
    """Names what the models are made from: the makers' sources and the libraries' versions."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        if not source.name.startswith("test_"):
            digest.update(hashlib.sha256(source.read_bytes()).digest())
    for library in ("tensorflow-cpu", "keras", "numpy"):
        digest.update(metadata.version(library).encode())
    return digest.hexdigest()[:16]


def kept(name: str) -> Kept:
    """The model of that name; makes it where it is not there yet."""
    folder = files.cache_directory() / "zoo" / _key() / re.sub(r"\W+", "_", name)
    answers = folder / "found.json"
    if not answers.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        graph = _make(name, folder)
        found = (peer.pairs(graph), peer.pairs(peer.without_uncalled(graph)))
        rows = [sorted(map(list, pairs), key=str) for pairs in found]
        files.write_if_changed(answers, json.dumps(rows).encode())
    whole, running = json.loads(answers.read_bytes())
    saved = folder / "saved_model"
    return Kept(saved if saved.is_dir() else folder / "model.pb", _pairs(whole), _pairs(running))


def _make(name: str, folder: Path) -> Any:
    """Writes the model into the folder; returns its graph."""
    made = MODELS[name]()
    if isinstance(made, Saved):
        made.write(folder / "saved_model")
        return peer.graph_of(folder / "saved_model/saved_model.pb")
    (folder / "model.pb").write_bytes(made.SerializeToString(deterministic=True))
    return made


def _pairs(rows: list[list[Any]]) -> frozenset[Pair]:
    return frozenset((op, clazz) for op, clazz in rows)
