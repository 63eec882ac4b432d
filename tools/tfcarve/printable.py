"""What others wrote, on a terminal: a name in a model may hold what a terminal obeys."""


def printable(text: str) -> str:
    """Returns `text` with Python's escapes in the place of all that is not printable, new lines too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """Returns the same for a text of several lines, which stay."""
    return "\n".join(map(printable, text.split("\n")))
