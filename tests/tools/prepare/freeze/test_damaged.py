"""600 SavedModels with damaged nodes and bytes, deterministic: each is frozen or rejected with a message."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from freeze_running import frozen_here
from freeze_sources import MAKERS
from tensorflow.core.protobuf import saved_model_pb2

from tfcarve.errors import InvalidInput

_SOURCES = (
    "v1 reference variables",
    "v1 control flow",
    "v1 condition",
    "v2 condition",
    "v2 table",
    "v2 table of a file",
)
_CASES = 600


def _with_other_bytes(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _change(nodes: Any, draw: random.Random) -> None:
    node, other = draw.choice(nodes), draw.choice(nodes)
    kind = draw.randrange(6)
    if kind == 0 and node.attr:
        del node.attr[draw.choice(sorted(node.attr))]
    elif kind == 1 and node.input:
        places = ["nope", f"^{node.name}", node.name, "a:b:c:9", other.name, f"{other.name}:1"]
        node.input[draw.randrange(len(node.input))] = draw.choice(places)
    elif kind == 2:
        node.op = other.op
    elif kind == 3:
        nodes.remove(node)
    elif kind == 4 and node.input:
        del node.input[draw.randrange(len(node.input))]
    elif kind == 5 and node.attr:
        value = node.attr[draw.choice(sorted(node.attr))]
        if value.HasField("type"):
            value.type = draw.choice([0, 1, 3, 7, 20, 999])


def _damaged(data: bytes, draw: random.Random) -> bytes:
    if draw.random() < 0.25:
        return _with_other_bytes(data, draw)
    whole = saved_model_pb2.SavedModel.FromString(data)
    graph = whole.meta_graphs[0].graph_def
    lists = [
        nodes for nodes in (graph.node, *(f.node_def for f in graph.library.function)) if nodes
    ]
    for _ in range(draw.randint(1, 3)):
        if nodes := draw.choice(lists):
            _change(nodes, draw)
    return bytes(whole.SerializeToString())


def test_damaged_models(tmp_path: Path) -> None:
    draw = random.Random(21)
    sources = [MAKERS[name](tmp_path / str(n)) for n, name in enumerate(_SOURCES)]
    folder, refused = tmp_path / "damaged", 0
    for case in range(_CASES):
        source = sources[case % len(sources)]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source.path, folder)
        file = folder / "saved_model.pb"
        file.write_bytes(_damaged(file.read_bytes(), draw))
        try:
            frozen_here(folder, tmp_path / "out", **source.options)
        except InvalidInput as error:
            assert str(error)
            refused += 1
    # The control: both occur.
    assert _CASES // 10 < refused < _CASES * 9 // 10
