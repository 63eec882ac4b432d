"""A drawing as SVG: Graphviz's program `dot` lays it out."""

import html
import re
import shutil
import subprocess
from collections.abc import Mapping

from tfcarve.drawing import texts
from tfcarve.drawing.dot import box_ids
from tfcarve.drawing.model_drawing import Drawing
from tfcarve.errors import InvalidInput

_SECONDS = 120
# Graphviz titles boxes with identifiers, edges with two of them, frames with cluster_ID, and the drawing with its name.
_TITLE = re.compile(r"<title>(?:cluster_)?([^<]*)</title>\n?")
_PROLOGUE = re.compile(r"\A.*?(?=<svg)", re.DOTALL)


def _titles(drawing: Drawing) -> Mapping[str, str]:
    every = {**drawing.frames, **drawing.boxes}
    return {id_: texts.title(every[name]) for name, id_ in box_ids(drawing).items()}


def laid_out(text: str) -> str:
    """Returns the SVG that `dot` makes of a drawing in Graphviz's language.

    Raises:
      InvalidInput: Graphviz is not installed, fails or takes too long.
    """
    program = shutil.which("dot")
    if program is None:
        raise InvalidInput(
            "Graphviz's program dot is not on PATH: sudo apt-get install graphviz, or write a .dot file"
        )
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=text.encode(),
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise InvalidInput(
            f"dot did not finish in {_SECONDS} seconds: draw less with --depth or --scope, or write a .dot file"
        ) from None
    if done.returncode:
        error = done.stderr.decode(errors="replace").strip()[-400:]
        raise InvalidInput(f"dot failed: {error}: draw less with --depth or --scope")
    return done.stdout.decode()


def svg(drawing: Drawing, text: str) -> str:
    """Returns the SVG of a drawing, with names as tooltips.

    Args:
      drawing: the drawing.
      text: the drawing in Graphviz's language.

    Raises:
      InvalidInput: Graphviz is not installed, fails or takes too long.
    """
    titles = _titles(drawing)

    def title(found: re.Match[str]) -> str:
        name = titles.get(found[1])
        return "" if name is None else f"<title>{html.escape(name)}</title>\n"

    return _TITLE.sub(title, _PROLOGUE.sub("", laid_out(text), count=1))
