"""tf_op_files.txt: the sources to compile, one per line."""

from tfcarve.emit.source_path import checked
from tfcarve.emit.templates import fill
from tfcarve.releases.release import Release
from tfcarve.selection.selection import Selection


def needed(selection: Selection, release: Release) -> list[str]:
    """Returns the selected sources and their helper sources that are not in TensorFlow's mobile core, sorted.

    Raises:
      InvalidInput: a path is not valid in a makefile.
    """
    core = release.core.mobile_folders
    selected = {file for file in selection.files if not file.startswith(core)}
    return sorted(map(checked, {*selected, *selection.helpers}))


def op_files(selection: Selection, release: Release) -> bytes:
    """Returns a new list, for `selection`, which was made for `release`."""
    return fill("tf_op_files.txt.j2", files=needed(selection, release))


def extended(text: str, selection: Selection, release: Release) -> str:
    """Returns the list `text` with the missing sources of `selection` added at its end.

    Existing lines stay unchanged, including their order and line ends. If no source is missing, `text` itself is
    returned.
    """
    listed = set(text.split())
    missing = [file for file in needed(selection, release) if file not in listed]
    if not missing:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += end
    return text + "".join(file + end for file in missing)
