"""Escapes untrusted text for a terminal: names in a model may contain control sequences."""


def printable(text: str) -> str:
    """Returns `text` with Python's escapes for all characters that are not printable, line breaks included."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """Returns `text` escaped as `printable` does, with its line breaks unchanged."""
    return "\n".join(map(printable, text.split("\n")))
