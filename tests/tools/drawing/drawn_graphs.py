"""Graphs and drawings for tests."""

from __future__ import annotations

from node_lines import nodes

from tfcarve.drawing import colours, dot, svg
from tfcarve.drawing.figures import Figures
from tfcarve.drawing.model_drawing import Drawing, drawing
from tfcarve.models.node_use import NodeUse

# A layer with an inner scope, an activation beside it, and an output that also depends on a check.
LAYERS = """
x Placeholder
net/dense/kernel/read Identity net/dense/kernel
net/dense/kernel Const
net/dense/MatMul MatMul x net/dense/kernel/read
net/relu Relu net/dense/MatMul
check Assert x
y Add net/relu net/relu:0 ^check
"""

NO_FIGURES = Figures(None, None, {})
# Names that end a string, a comment, an element or a script, and that Graphviz, XML or a terminal would interpret.
EVIL = (
    '"; b0 -> b0 #',
    "\\N\\G\\n",
    "<script>document.title='evil'</script>",
    "]]>--></svg></script><img src=x onerror=alert(1)>",
    "&lt;b&gt;&amp;#34;",
    "\x1b[2J\n\u202e",
    "日本 é",
    "",
)


def layers(depth: int | None = None, scope: str = "") -> Drawing:
    """The drawing of LAYERS."""
    return drawing(nodes(LAYERS), scope, depth)


def evil() -> list[NodeUse]:
    """Nodes with names of EVIL, each of which reads the one before it, and a scope with such a name."""
    found: list[NodeUse] = []
    for name in EVIL:
        inputs = (found[-1].node,) if found else ()
        found.append(NodeUse("m", "", name, "Relu", "", {}, inputs))
    names = ('<i>&amp;\\N"/a', '<i>&amp;\\N"/b')
    return [*found, *(NodeUse("m", "", name, "Relu", "", {}, ("",)) for name in names)]


def dot_text(found: Drawing, figures: Figures = NO_FIGURES) -> str:
    """A drawing in Graphviz's language, coloured by op class."""
    return dot.dot(found, figures, colours.fills("op", found, figures) or {})


def svg_text(found: Drawing, figures: Figures = NO_FIGURES) -> str:
    """A drawing as SVG."""
    return svg.svg(found, dot_text(found, figures))
