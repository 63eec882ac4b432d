"""Tests of finding the graphs in MetaGraphDefs and SavedModels."""

import protos
import pytest

from tfcarve.models import meta_graph
from tfcarve.models.signature import Signature
from tfcarve.models.wire import Budget, WireError

_GRAPH = protos.graph(protos.node("n", "Op"))


def test_meta_graph() -> None:
    signature = protos.signature(["x:0"], ["n:0"])
    data = protos.meta_graph(_GRAPH, "serve", "gpu", signatures={"s": signature})
    (found,) = meta_graph.meta_graph(data, 0, len(data), Budget(len(data)))
    assert found.tags == ("serve", "gpu")
    assert found.signatures == {"s": Signature(frozenset("x"), frozenset("n"))}
    place, end = found.graph
    assert data[place:end] == _GRAPH


def test_saved_model() -> None:
    data = protos.saved_model(protos.meta_graph(_GRAPH, "a"), protos.meta_graph(b"", "b"))
    graphs = meta_graph.saved_model(data, Budget(len(data)))
    assert [found.tags for found in graphs] == [("a",), ("b",)]
    assert meta_graph.is_saved_model(data)
    assert not meta_graph.is_saved_model(_GRAPH)


@pytest.mark.parametrize("data", [protos.data(8, ""), protos.number(2, 1)])
def test_not_a_meta_graph(data: bytes) -> None:
    with pytest.raises(WireError, match="not a MetaGraphDef"):
        list(meta_graph.meta_graph(data, 0, len(data), Budget(len(data))))


def test_not_a_saved_model() -> None:
    with pytest.raises(WireError, match="not a SavedModel"):
        list(meta_graph.saved_model(protos.data(3, ""), Budget(2)))
