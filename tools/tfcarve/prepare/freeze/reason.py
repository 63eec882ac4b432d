"""Summarizes an error of TensorFlow in one line."""

_MOST = 300
_EMPTY = ("Graph execution error", "Detected at", "Node:", "File ", "Hint:", "[[", "Traceback")


def reason(error: Exception) -> str:
    """Returns the first informative line of an error's text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(_EMPTY)]
    return (told or lines or ["no reason"])[0][:_MOST]
