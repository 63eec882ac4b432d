"""Summarizes an error of TensorFlow in one line."""

_MAX_LENGTH = 300
_UNINFORMATIVE = (
    "Graph execution error",
    "Detected at",
    "Node:",
    "File ",
    "Hint:",
    "[[",
    "Traceback",
)


def reason(error: Exception) -> str:
    """Returns the first informative line of an error's text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    informative = [line for line in lines if not line.startswith(_UNINFORMATIVE)]
    return (informative or lines or ["no reason"])[0][:_MAX_LENGTH]
