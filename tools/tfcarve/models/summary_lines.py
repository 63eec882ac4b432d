"""A model's summary as text. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfcarve.models.model_functions import ModelFunction
from tfcarve.models.signature_def import Signature, shape_text
from tfcarve.models.summary import Summary, Tensor
from tfcarve.models.values import Values

# Functions of a model's parts are not shown: Keras has several for each layer.
_MAX_FUNCTIONS = 20


def _tensors(title: str, tensors: Sequence[Tensor], more: int) -> Iterator[str]:
    yield f"{title}: {len(tensors) + more}"
    for t in tensors:
        op = f"{t.op}  " if t.op else ""
        yield f"  {t.name}  {op}{t.dtype or 'type unknown'}  {shape_text(t.shape)}"
    yield from _more(more)


def _more(count: int) -> Iterator[str]:
    if count:
        yield f"  and {count:,} more"


def signature_lines(signatures: Mapping[str, Signature]) -> Iterator[str]:
    """Yields a line for each signature, and one for each of its tensors; they contain untrusted names."""
    for name, signature in signatures.items():
        yield f"  {name}"
        for side, tensors in (("input ", signature.inputs), ("output", signature.outputs)):
            for t in tensors:
                dtype = t.dtype or "type unknown"
                yield f"    {side} {t.name} = {', '.join(t.tensors)}  {dtype}  {shape_text(t.shape)}"


def _function_lines(functions: Sequence[ModelFunction]) -> Iterator[str]:
    yield f"functions for --signature: {len(functions)}"
    own = [found for found in functions if "." not in found.name]
    shown = (own or functions)[:_MAX_FUNCTIONS]
    for found in shown:
        results = ", ".join(
            f"{t.name}: {t.dtype} {shape_text(t.shape)}" if t.dtype else t.name
            for t in found.outputs
        )
        yield f"  {found.name}({found.arguments}) -> {results or 'nothing'}"
    yield from _more(len(functions) - len(shown))


def _values(what: str, values: Values) -> str:
    unsized = f", without {values.unsized} of unknown size" if values.unsized else ""
    return f"  {values.nodes:,} {what}: {values.elements:,} values, {values.bytes:,} bytes{unsized}"


def _counted(counts: Mapping[str, int]) -> Iterable[str]:
    return (f"  {count:>6}  {name}" for name, count in counts.items())


def lines(found: Summary) -> Iterator[str]:
    """Yields the lines, which contain untrusted names."""
    if found.remark:
        yield found.remark
    if found.format == "ops-list":
        return
    if found.signatures:
        yield f"signatures: {len(found.signatures)}"
        yield from signature_lines(found.signatures)
    if found.model_functions:
        yield from _function_lines(found.model_functions)
    yield from _tensors("inputs", found.inputs, found.unlisted.get("inputs", 0))
    yield from _tensors("outputs", found.outputs, found.unlisted.get("outputs", 0))
    if found.other_outputs:
        count = sum(found.other_outputs.values())
        yield f"other nodes that no node reads: {count:,}"
        yield from _counted(found.other_outputs)
    if found.format == "tflite-flex" and not found.nodes:
        return
    if found.variables:
        yield from _tensors("variables", found.variables, found.unlisted.get("variables", 0))
    yield f"parameters: {found.parameters:,}"
    yield _values("constants", found.constant_values)
    yield _values("variables", found.variable_values)
    yield f"nodes: {found.nodes:,} with {len(found.ops)} ops, in the graph and {found.functions} functions"
    yield from _counted(found.ops)
    yield f"control edges: {found.control_edges:,}"
    if found.devices:
        yield "nodes by device:"
        yield from _counted(found.devices)
    if found.missing_inputs:
        more = found.unlisted.get("missing_inputs", 0)
        yield f"inputs that do not exist: {len(found.missing_inputs) + more}: the file is damaged"
        yield from (f"  {missing.input} of {missing.node}" for missing in found.missing_inputs)
        yield from _more(more)
