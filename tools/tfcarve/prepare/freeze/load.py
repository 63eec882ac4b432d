"""Reads the graph to freeze with its signatures, initializers and assets.

Sources: tensorflow/core/protobuf/{meta_graph,saved_model,saver}.proto, tensorflow/cc/saved_model/constants.h.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from google.protobuf import message, text_format

from tfcarve.errors import InvalidInput
from tfcarve.models import graph_text, saved_functions
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.models.saved_functions import Function, FunctionError
from tfcarve.models.text_format import TextError, for_protobuf
from tfcarve.models.versions import Versions
from tfcarve.models.wire import Budget, WireError
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze.checkpoint import Checkpoint
from tfcarve.prepare.freeze.object_keys import object_keys
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.saved_function import Keys, called
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph.messages import GraphDef
from tfcarve.prepare.graph.saved_model_messages import (
    AssetFileDef,
    MetaGraphDef,
    SavedModel,
    SignatureDef,
)

# The folder, beside the request, of the SavedModel that is exported from a Keras file.
EXPORTED = "saved_model"
_INIT_OP = "__saved_model_init_op"
_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op")
_ASSETS = "saved_model_assets"
_TABLE_INITIALIZERS = "table_initializer"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph with its signatures, initializers and assets.

    Attributes:
      graph: the GraphDef.
      signatures: SignatureDefs by name.
      preparing: nodes that a program runs once before it uses the graph: initializers and restore ops.
      variables: prefix of the SavedModel's checkpoint; "" if it has none.
      assets: absolute paths of asset files, by the node that holds the path.
      function: the function of a SavedModel that the graph calls; None if it is the graph of a signature.
      functions: lines with the functions of a SavedModel without the requested signature; else "".
    """

    graph: GraphDef
    signatures: Mapping[str, SignatureDef] = field(default_factory=dict)
    preparing: tuple[str, ...] = ()
    variables: str = ""
    assets: Mapping[str, str] = field(default_factory=dict)
    function: Function | None = None
    functions: str = ""


def _message(path: Path, text: bool, into: Any, name: str) -> Any:
    try:
        data = path.read_bytes()
        if text:
            graph_text.to_binary(data)  # reports unknown fields
            return text_format.Parse(for_protobuf(data), into, allow_unknown_field=True)
        into.ParseFromString(data)
    except TextError as error:
        raise InvalidInput(f"{name}: not a valid {into.DESCRIPTOR.name}: {error}") from None
    except (message.DecodeError, text_format.ParseError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{name}: not a valid {into.DESCRIPTOR.name}: {error}: it may be truncated"
        ) from None
    return into


def _tagged(request: Request, graphs: Sequence[Any]) -> Any:
    """Returns the graph with exactly the requested tags, as TensorFlow Serving does."""
    tags = set(request.options.tags)
    for graph in graphs:
        if set(graph.meta_info_def.tags) == tags:
            return graph
    there = "; ".join(",".join(g.meta_info_def.tags) or "no tags" for g in graphs) or "no graphs"
    raise InvalidInput(
        f"{request.name}: no graph has exactly the tags {','.join(sorted(tags)) or '(none)'}: the model has {there}: "
        "pass one of them with --tags"
    )


def _preparing(meta_graph: Any) -> tuple[str, ...]:
    names = []
    if _INIT_OP in meta_graph.signature_def:
        names += [t.name for t in meta_graph.signature_def[_INIT_OP].outputs.values()]
    for collection in (*_INIT_COLLECTIONS, _TABLE_INITIALIZERS):
        if collection in meta_graph.collection_def:
            names += meta_graph.collection_def[collection].node_list.value
    names.append(meta_graph.saver_def.restore_op_name)
    return tuple(dict.fromkeys(parsed(name)[0] for name in names if name))


def _asset_files(meta_graph: Any) -> Iterator[Any]:
    """Yields AssetFileDefs; TensorFlow 1 stores them in a collection."""
    yield from meta_graph.asset_file_def
    if _ASSETS in meta_graph.collection_def:
        for packed in meta_graph.collection_def[_ASSETS].any_list.value:
            if packed.TypeName() == AssetFileDef.DESCRIPTOR.full_name:
                yield AssetFileDef.FromString(packed.value)


def _assets(folder: Path, meta_graph: Any, name: str) -> dict[str, str]:
    inside = (folder / "assets").resolve()
    found = {}
    for asset in _asset_files(meta_graph):
        path = (inside / asset.filename).resolve()
        if not path.is_relative_to(inside):
            raise InvalidInput(f"{name}: the asset {asset.filename!r} is outside the folder assets")
        if not path.is_file():
            raise InvalidInput(f"{name}: the asset {asset.filename!r} is missing")
        found[parsed(asset.tensor_info.name)[0]] = str(path)
    return found


def _with_meta_graph(meta_graph: Any, **others: Any) -> Loaded:
    signatures = dict(meta_graph.signature_def)
    preparing = _preparing(meta_graph)
    return Loaded(meta_graph.graph_def, signatures, preparing, **others)


def _of_function(
    request: Request, meta_graph: MetaGraphDef, loaded: Loaded, evaluator: Evaluator
) -> Loaded:
    """Returns the graph of the requested function, or `loaded` with the functions that there are if none is requested."""
    data = meta_graph.object_graph_def.SerializeToString()
    try:
        objects = ObjectGraph(data, (0, len(data)), Budget(len(data)))
        function = saved_functions.find(objects, request.options.signature)
        if function is None:
            listed = saved_functions.listed(saved_functions.functions(objects))
            return replace(loaded, functions=listed)
        keys: Keys = {}
        if loaded.variables:
            name = f"{request.name}/variables/variables"
            keys = object_keys(objects, Checkpoint(loaded.variables, name, False, evaluator))
        found = called(meta_graph, function, objects, keys)
    except (FunctionError, WireError, InvalidInput) as error:
        raise InvalidInput(f"{request.name}: {error}") from None
    signatures = {request.options.signature: found.signature}
    return replace(
        loaded,
        graph=found.graph,
        signatures=signatures,
        preparing=found.preparing,
        function=function,
    )


def _saved_model(request: Request, folder: Path, evaluator: Evaluator) -> Loaded:
    file = folder / ("saved_model.pbtxt" if request.text else "saved_model.pb")
    whole = _message(file, request.text, SavedModel(), request.name)
    meta_graph = _tagged(request, whole.meta_graphs)
    variables = folder / "variables" / "variables"
    has_variables = variables.with_name("variables.index").is_file()
    loaded = _with_meta_graph(
        meta_graph,
        variables=str(variables) if has_variables else "",
        assets=_assets(folder, meta_graph, request.name),
    )
    if request.options.signature in loaded.signatures:
        return loaded
    return _of_function(request, meta_graph, loaded, evaluator)


def _graph(request: Request) -> Loaded:
    path = Path(request.path)
    if request.kind == "meta_graph":
        into = MetaGraphDef()
        return _with_meta_graph(_message(path, request.text, into, request.name))
    return Loaded(_message(path, request.text, GraphDef(), request.name))


def source(request: Request, folder: Path, evaluator: Evaluator) -> Loaded:
    """Reads the model of a request.

    Args:
      request: the request.
      folder: has the SavedModel that was exported from a Keras file, in EXPORTED.
      evaluator: TensorFlow.

    Raises InvalidInput if the model is damaged, or a SavedModel has no graph with the tags.
    """
    if request.kind == "keras":
        return _saved_model(request, folder / EXPORTED, evaluator)
    if request.kind == "saved_model":
        return _saved_model(request, Path(request.path), evaluator)
    return _graph(request)


def versions(graph: GraphDef) -> Versions:
    """Returns the versions of a graph."""
    found = graph.versions
    return Versions(found.producer, found.min_consumer, frozenset(found.bad_consumers))
