"""The functions of SavedModels: their names, arguments, and damaged objects."""

from __future__ import annotations

from pathlib import Path

import protos
import pytest
import saved_objects
from saved_objects import arguments, concrete_function, function, listed, spec, user_object, value

from tfcarve.errors import InvalidInput
from tfcarve.models import model_functions, saved_functions
from tfcarve.models.choice import Choice
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.models.read import read
from tfcarve.models.saved_functions import FunctionError
from tfcarve.models.wire import Budget, WireError


def _graph(data: bytes) -> ObjectGraph:
    return ObjectGraph(data, (0, len(data)), Budget(len(data)))


def test_functions_are_listed_with_their_arguments() -> None:
    """Private functions and signatures are not listed; those of the model are before those of its parts."""
    found = list(saved_functions.functions(_graph(saved_objects.MODEL)))
    assert [each.text() for each in found] == [
        "__call__@0(x: float32 [?, 2], training=False)",
        "__call__@1(x: float32 [?, 2], training=True)",
        "bare(arg_0: float32 [], kept: int32 [])",
        "encoder.encode(ids: RaggedTensorSpec, more_a: int32 [3], more_b: string [], "
        "limit=-3, name='n', none=None, scale=2.5)",
    ]
    named = [([t.name for t in each.inputs], [t.name for t in each.outputs]) for each in found]
    assert named == [
        (["x"], ["output_0"]),
        (["x"], ["output_0"]),
        (["arg_0", "kept"], ["output_0", "output_1"]),
        (["ids/0", "ids/1", "more_a", "more_b"], ["y_0", "y_1/0", "y_1/1", "y_1/2", "z"]),
    ]
    assert found[0].captures == (8, 7) and found[0].inputs[0].shape == (-1, 2)


@pytest.mark.parametrize(
    ("text", "concrete", "path"),
    [
        ("__call__@0", "call_a", ("__call__",)),
        ("__call__@1", "call_b", ("__call__",)),
        ("call_b", "call_b", ("__call__",)),
        ("encoder.encode", "encode_a", ("encoder", "encode")),
        ("encoder.encode@0", "encode_a", ("encoder", "encode")),
        ("_hidden", "hidden_a", ("_hidden",)),
        ("bare", "bare_a", ("bare",)),
        ("encode", None, ()),
        ("__call__@2", None, ()),
        ("__call__@-1", None, ()),
        ("__call__@\u0660", None, ()),
        ("__call__@99999999999999999999", None, ()),
        ("@0", None, ()),
        ("", None, ()),
        ("signatures.serving_default", None, ()),
    ],
)  # fmt: skip
def test_names(text: str, concrete: str | None, path: tuple[str, ...]) -> None:
    found = saved_functions.find(_graph(saved_objects.MODEL), text)
    assert (found and found.concrete) == concrete
    assert found is None or found.path == path


def test_a_name_of_several_functions() -> None:
    with pytest.raises(FunctionError) as raised:
        saved_functions.find(_graph(saved_objects.MODEL), "__call__")
    assert str(raised.value) == (
        "the function '__call__' has 2 traces: pass one of them:\n"
        "  __call__@0(x: float32 [?, 2], training=False)\n"
        "  __call__@1(x: float32 [?, 2], training=True)"
    )


def test_long_lists_are_cut() -> None:
    names = [f"f{number}" for number in range(25)]
    graph = saved_objects.graph(
        [user_object(g=1), function(*names)],
        {name: concrete_function(arguments(), value(None)) for name in names},
    )
    lines = saved_functions.listed(saved_functions.functions(_graph(graph))).splitlines()
    assert lines[0] == "  g@0()" and lines[-2:] == ["  g@19()", "  and 5 more"]


_CALL = {"f": concrete_function(arguments(spec("x", "int32")), value(None), [0])}


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (saved_objects.graph([user_object(f=9)], {}), "the object 9 does not exist"),
        (saved_objects.graph([user_object(f=1), function("g")], _CALL), "the function 'g' does not"),
        (
            saved_objects.graph(
                [user_object(f=1), function("f")], {"f": concrete_function(arguments(), b"", [2])}
            ),
            "captures an object that does not exist",
        ),
        (
            saved_objects.graph(
                [user_object(f=1), function("f")],
                {"f": concrete_function(arguments(saved_objects.composite("T", 1 << 40)), b"")},
            ),
            "with 1099511627776 components",
        ),
        (saved_objects.MODEL[:-9], "truncated or damaged"),
    ],
)  # fmt: skip
def test_damaged_objects(graph: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message):
        list(saved_functions.functions(_graph(graph)))


def test_deep_structures_and_cycles() -> None:
    deep = spec("x", "int32")
    for _ in range(40):
        deep = listed(deep)
    graph = saved_objects.graph(
        [user_object(f=1, inner=2), function("f"), user_object(outer=0, again=2)],
        {"f": concrete_function(deep, b"")},
    )
    with pytest.raises(WireError, match="nested too deeply"):
        list(saved_functions.functions(_graph(graph)))
    chain = [user_object(n=number + 1) for number in range(1000)]
    graph = saved_objects.graph([*chain, function("f")], _CALL)
    assert not list(saved_functions.functions(_graph(graph)))


def _saved_model(folder: Path, objects: bytes) -> Path:
    graph = protos.graph(protos.node("n", "Relu", {"T": protos.type_value("float32")}))
    side = protos.signature(["n:0"], ["n:0"])
    meta_graph = protos.meta_graph(graph, "serve", signatures={"s": side})
    folder.mkdir()
    content = protos.saved_model(meta_graph + protos.data(7, objects))
    (folder / "saved_model.pb").write_bytes(content)
    return folder


def test_functions_of_a_model(tmp_path: Path) -> None:
    model = read(_saved_model(tmp_path / "m", saved_objects.MODEL))
    found = model_functions.model_functions(model)
    assert [each.name for each in found] == ["__call__@0", "__call__@1", "bare", "encoder.encode"]
    assert model_functions.has_function(model, "bare") and model_functions.has_function(model, "_hidden")  # fmt: skip
    assert not model_functions.has_function(model, "s")
    with pytest.raises(InvalidInput, match="has 2 traces"):
        model_functions.has_function(model, "__call__")
    for name, hint in (("bare", "'bare' is a function of the model"), ("__call__", "has 2 traces")):
        with pytest.raises(InvalidInput, match=f"no signature {name}: it has s; .*{hint}"):
            read(tmp_path / "m", Choice(signatures=(name,)))
    with pytest.raises(InvalidInput, match="no signature x: it has s$"):
        read(tmp_path / "m", Choice(signatures=("x",)))
    damaged = read(_saved_model(tmp_path / "d", saved_objects.graph([user_object(f=9)], {})))
    with pytest.raises(InvalidInput, match=f"{tmp_path / 'd'}: the object 9 does not exist"):
        model_functions.model_functions(damaged)
