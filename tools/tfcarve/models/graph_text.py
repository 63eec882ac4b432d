"""GraphDef, MetaGraphDef and SavedModel in text form (.pbtxt)."""

from collections.abc import Callable
from typing import Any

from tfcarve import dtypes
from tfcarve.models import signature, text_format
from tfcarve.models.graph_def import is_op_name
from tfcarve.models.meta_graph import MetaGraph
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.models.text_format import Message, Scalar, TextError

_OTHER = AttrValue("other", None)
# A tensor's values (tensorflow/core/framework/tensor.proto): most of a file, and no kernel is chosen by them.
_TENSOR_VALUES = frozenset(
    [
        "bool_val",
        "dcomplex_val",
        "double_val",
        "float8_val",
        "float_val",
        "half_val",
        "int64_val",
        "int_val",
        "resource_handle_val",
        "scomplex_val",
        "string_val",
        "tensor_content",
        "uint32_val",
        "uint64_val",
        "variant_val",
    ]
)


def _dtype(text: str) -> str:
    name = dtypes.from_enum(text)
    if name is None and text.isdigit():
        name = dtypes.from_number(int(text))
    return name or f"DataType({text})"


def _integer(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise TextError(f"a whole number was expected: {text[:40]!r}") from None


_VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "s": ("string", str),
    "i": ("int", _integer),
    "b": ("bool", lambda text: text in ("true", "True", "t", "1")),
    "type": ("type", _dtype),
    "placeholder": ("placeholder", str),
}


def _shape(message: Message) -> tuple[int, ...] | None:
    if message.text("unknown_rank") in ("true", "True", "1"):
        return None
    return tuple(_integer(dim.text("size") or "0") for dim in message.messages("dim"))


def _list(message: Message) -> AttrValue:
    for name, value in message.fields:
        if name in _VALUES:
            kind, read = _VALUES[name]
            return AttrValue(f"list({kind})", tuple(read(s.text) for s in message.scalars(name)))
        if name == "func" and isinstance(value, Message):
            return AttrValue("list(func)", tuple(m.text("name") for m in message.messages("func")))
        return _OTHER
    return AttrValue("list()", ())


def _attr(message: Message) -> AttrValue:
    for name, value in message.fields:
        if isinstance(value, Scalar):
            if name in _VALUES:
                kind, read = _VALUES[name]
                return AttrValue(kind, read(value.text))
        elif name == "list":
            return _list(value)
        elif name == "func":
            return AttrValue("func", value.text("name"))
        elif name == "shape":
            return AttrValue("shape", _shape(value))
        elif name == "tensor":
            shapes = value.messages("tensor_shape")
            return AttrValue(
                "tensor", (_dtype(value.text("dtype")), _shape(shapes[-1]) if shapes else None)
            )
        return _OTHER
    return AttrValue("unset", None)


def _node(message: Message, model: str, function: str) -> NodeUse:
    name, op = message.text("name"), message.text("op")
    if not is_op_name(op):
        raise TextError(f"node {name!r}: {op[:60]!r} is no name of an op")
    attrs = {}
    for attr in message.messages("attr"):
        values = attr.messages("value")
        try:
            attrs[attr.text("key")] = _attr(values[-1]) if values else AttrValue("unset", None)
        except TextError as error:
            raise TextError(f"node {name!r}: attribute {attr.text('key')!r}: {error}") from None
    inputs = tuple(s.text for s in message.scalars("input"))
    return NodeUse(model, function, name, op, message.text("device"), attrs, inputs)


def graph(message: Message, model: str) -> tuple[list[NodeUse], dict[str, tuple[str, ...]]]:
    """Returns the nodes of a GraphDef, those of its functions last, and the nodes that each function returns."""
    nodes = [_node(node, model, "") for node in message.messages("node")]
    functions = {}
    for library in message.messages("library"):
        for function in library.messages("function"):
            name = "".join(s.text("name") for s in function.messages("signature"))
            functions[name] = tuple(
                entry.text("value").partition(":")[0] for entry in function.messages("ret")
            )
            nodes += [_node(node, model, name) for node in function.messages("node_def")]
    return nodes, functions


def parse(text: str) -> Message:
    """Returns the message in `text` without tensors' values; raises TextError where it is none."""
    return text_format.parse(text, _TENSOR_VALUES)


def graphs(message: Message) -> tuple[str, list[MetaGraph[Message]]]:
    """Returns what `message` is (graphdef, meta_graph, saved_model) and its graphs."""
    metas = message.messages("meta_graphs")
    kind = "saved_model" if metas else "meta_graph"
    if not metas and message.messages("graph_def"):
        metas = [message]
    found = []
    for meta in metas:
        tags = tuple(
            s.text for info in meta.messages("meta_info_def") for s in info.scalars("tags")
        )
        signatures = dict(map(signature.from_text, meta.messages("signature_def")))
        found += [MetaGraph(tags, signatures, graph) for graph in meta.messages("graph_def")]
    return (kind, found) if metas else ("graphdef", [MetaGraph((), {}, message)])
