"""A drawing in Graphviz's language. Pure.

Source of the syntax and the escapes in labels: the pages on the DOT language and on the type escString of Graphviz.
"""

from collections.abc import Iterator, Mapping

from tfcarve.drawing import texts
from tfcarve.drawing.figures import Figures
from tfcarve.drawing.model_drawing import Drawing, Edge
from tfcarve.drawing.names import scopes, short

_HEAD = """\
digraph model {
  graph [bgcolor="white", fontname="Helvetica,Arial,sans-serif", fontsize=11, nodesep=0.15, ranksep=0.28, rankdir=TB]
  node [fontname="Helvetica,Arial,sans-serif", fontsize=10, height=0.2, margin="0.09,0.035", shape=box, style="filled,rounded"]
  edge [arrowsize=0.6, color="#7a8699", fontname="Helvetica,Arial,sans-serif", fontsize=9]
"""
# Opened scopes alternate between these.
_GROUNDS = ("#f6f8fb", "#ffffff")


def quoted(text: str) -> str:
    """Returns a double-quoted string that Graphviz shows as `text`."""
    plain = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def box_ids(drawing: Drawing) -> dict[str, str]:
    """Returns the identifier of each box and frame, in the text and in the SVG that Graphviz makes of it."""
    boxes = {name: f"b{number}" for number, name in enumerate(drawing.boxes)}
    return boxes | {name: f"f{number}" for number, name in enumerate(drawing.frames)}


def _label(lines: list[str]) -> str:
    return '"' + "\\n".join(quoted(line)[1:-1] for line in lines) + '"'


def _edge(edge: Edge, ids: Mapping[str, str]) -> str:
    attributes = []
    if not edge.tensors:
        attributes = ['style="dashed"', 'arrowhead="open"']
    elif edge.tensors > 1:
        attributes = [f'label="{edge.tensors}"']
    listed = f" [{', '.join(attributes)}]" if attributes else ""
    return f"  {ids[edge.source]} -> {ids[edge.target]}{listed}"


def _boxes(
    drawing: Drawing, figures: Figures, fills: Mapping[str, str], ids: Mapping[str, str]
) -> Iterator[str]:
    """Yields the boxes. The boxes of an open scope are inside its frame."""
    inside: dict[str, list[str]] = {}
    for name in drawing.boxes:
        parent = ("", *scopes(name))[-1]
        inside.setdefault(parent, []).append(name)
    children: dict[str, list[str]] = {}
    for frame in drawing.frames:
        parent = ("", *scopes(frame))[-1]
        children.setdefault(parent, []).append(frame)

    def level(scope: str, depth: int) -> Iterator[str]:
        indent = "  " * (depth + 1)
        for name in inside.get(scope, ()):
            label = _label(texts.label(drawing.boxes[name], figures))
            yield f'{indent}{ids[name]} [fillcolor="{fills[name]}", id="{ids[name]}", label={label}]'
        for frame in children.get(scope, ()):
            shown = texts.count_text(drawing.frames[frame].nodes, "node")
            label = quoted(f"{texts.cut(short(frame))} · {shown}")
            yield f"{indent}subgraph cluster_{ids[frame]} {{"
            yield (
                f'{indent}  bgcolor="{_GROUNDS[depth % 2]}"; color="#b9c2ce"; id="{ids[frame]}"; '
                f'label={label}; labeljust="l"; style="rounded"'
            )
            yield from level(frame, depth + 1)
            yield f"{indent}}}"

    yield from level("", 0)


def dot(drawing: Drawing, figures: Figures, fills: Mapping[str, str]) -> str:
    """Returns the drawing in Graphviz's language.

    Args:
      drawing: the drawing.
      figures: for the labels.
      fills: the colour of each box.
    """
    ids = box_ids(drawing)
    lines = [*_boxes(drawing, figures, fills, ids), *(_edge(edge, ids) for edge in drawing.edges)]
    return _HEAD + "\n".join(lines) + "\n}\n"
