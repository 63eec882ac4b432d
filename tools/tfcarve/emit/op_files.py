"""tf_op_files.txt: the sources to compile, one a line."""

from tfcarve.emit.source_path import fit
from tfcarve.emit.templates import fill
from tfcarve.selection.selection import Selection

# Sources here are part of TensorFlow's own core (tensorflow/core/BUILD, mobile_srcs_no_runtime): a carved one
# does without some of them.
_CORE = (
    "tensorflow/core/common_runtime/",
    "tensorflow/core/framework/",
    "tensorflow/core/graph/",
)


def needed(selection: Selection) -> list[str]:
    """Returns what TensorFlow's core lacks, sorted: selected sources and the helpers that they need to link.

    Raises InvalidInput where one has a path that no source can have: lists end up in makefiles and shells.
    """
    selected = {file for file in selection.files if not file.startswith(_CORE)}
    return sorted(map(fit, {*selected, *selection.helpers}))


def op_files(selection: Selection) -> bytes:
    """Returns the list for `selection` alone."""
    return fill("tf_op_files.txt.j2", files=needed(selection))


def extended(text: str, selection: Selection) -> str:
    """Returns the list `text` with what `selection` needs and it lacks added at its end.

    All that is there stays as it is, order and line ends included; where nothing is missing, `text`
    itself is returned.
    """
    there = set(text.split())
    missing = [file for file in needed(selection) if file not in there]
    if not missing:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += end
    return text + "".join(file + end for file in missing)
