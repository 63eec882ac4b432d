"""Tests of finding the graphs in MetaGraphDefs and SavedModels."""

import protos
import pytest

from tfcarve.models import meta_graph
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.models.wire import Budget, WireError

_GRAPH = protos.graph(protos.node("n", "Op"))


def test_meta_graph() -> None:
    signature = protos.signature(["x:0"], ["n:0"])
    data = protos.meta_graph(_GRAPH, "serve", "gpu", signatures={"s": signature})
    (found,) = meta_graph.meta_graph(data, 0, len(data), Budget(len(data)))
    assert found.tags == ("serve", "gpu")
    (x,), (n,) = ((SignatureTensor("k0", (tensor,), "", None),) for tensor in ("x:0", "n:0"))
    assert found.signatures == {"s": Signature((x,), (n,))}
    assert (found.signatures["s"].input_nodes(), found.signatures["s"].output_nodes()) == (
        {"x"},
        {"n"},
    )
    place, end = found.graph
    assert data[place:end] == _GRAPH


def _info(*fields: bytes) -> bytes:
    return protos.data(2, protos.data(1, "n:0") + b"".join(fields))


def test_types_and_shapes_of_a_signature() -> None:
    """Sorted by name; of two entries with the same name the last one counts, as in a map."""
    shape = protos.data(3, protos.shape(-1, 4))
    entries = {
        "z": _info(protos.number(2, 1), shape),
        "b": _info(protos.number(2, 77), protos.data(3, protos.number(3, 1))),
        "a": _info(protos.data(4, protos.data(1, "v:0") + protos.data(2, "i:0"))),
    }
    both = [*entries.items(), ("z", _info(protos.number(2, 9), shape))]
    outputs = b"".join(protos.data(2, protos.data(1, key) + value) for key, value in both)
    data = protos.meta_graph(_GRAPH, signatures={"s": outputs})
    (found,) = meta_graph.meta_graph(data, 0, len(data), Budget(len(data)))
    assert found.signatures["s"].outputs == (
        SignatureTensor("a", ("n:0", "v:0", "i:0"), "", None),
        SignatureTensor("b", ("n:0",), "DataType(77)", None),
        SignatureTensor("z", ("n:0",), "int64", (-1, 4)),
    )


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
