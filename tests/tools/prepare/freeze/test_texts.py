"""Models in text form: each way to name one, read once, and with a field that TensorFlow does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.models import graph_text, text_format
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze import load, source
from tfcarve.prepare.freeze.request import Options
from tfcarve.releases import known

_GRAPH = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
_META_GRAPH = (
    f'meta_info_def {{ tags: "serve" }} graph_def {{ {_GRAPH} }}'
    'signature_def { key: "serving_default" value { outputs { key: "y" value { name: "x:0" } } } }'
)
# A file, its content, and the path that the user passes.
_TEXTS = [
    ("m.pbtxt", _GRAPH, "m.pbtxt"),
    ("m.meta.pbtxt", _META_GRAPH, "m.meta.pbtxt"),
    ("m/saved_model.pbtxt", f"meta_graphs {{ {_META_GRAPH} }}", "m"),
    ("m/saved_model.pbtxt", f"meta_graphs {{ {_META_GRAPH} }}", "m/saved_model.pbtxt"),
]


def _loaded(path: Path) -> load.Loaded:
    options = Options(outputs=("x",))
    source.require_signatures(path, options)
    return load.source(source.request(path, known.release(), options), path, Evaluator())


@pytest.mark.parametrize(("file", "text", "given"), _TEXTS)
def test_a_text_is_converted_once(
    file: str, text: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted = []

    def counting(data: bytes, message: text_format.Message) -> bytes:
        converted.append(message.name)
        return text_format.to_wire(data, message)

    monkeypatch.setattr(graph_text, "to_wire", counting)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    assert [node.name for node in _loaded(tmp_path / given).graph.node] == ["x"]
    assert len(converted) == 1


@pytest.mark.parametrize(("file", "text", "given"), _TEXTS)
@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('op: "Pl', 'opType: "Pl', "line 1, column [0-9]+: NodeDef has no field 'opType'"),
        ('op: "Pl', "op: Pl", "line 1: a string was expected, not 'Placeholder"),
        ("DT_FLOAT", "DT_FLOA", "line 1: an enumerator was expected, not 'DT_FLOA'"),
    ],
)
def test_a_damaged_text(
    file: str, text: str, given: str, before: str, after: str, message: str, tmp_path: Path
) -> None:
    """The message has the path that was passed, the kind and the line."""
    assert before in text
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text.replace(before, after))
    with pytest.raises(InvalidInput) as raised:
        _loaded(tmp_path / given)
    start = re.escape(f"{tmp_path / given}: not a valid ")
    assert re.match(f"{start}(GraphDef|MetaGraphDef|SavedModel): {message}", str(raised.value))
