"""tf_op_files.txt: the sources to compile, one a line."""

from tfcarve.emit.templates import fill
from tfcarve.selection.selection import Selection


def op_files(selection: Selection) -> bytes:
    """Returns the list of the selected sources and of the helpers that they need to link."""
    return fill("tf_op_files.txt.j2", files=sorted({*selection.files, *selection.helpers}))
