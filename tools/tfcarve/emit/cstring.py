"""C++ string literals."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "?": "\\?"}


def quote(text: str) -> str:
    """Returns `text` as a single C++ string literal; any text is safe."""
    parts = []
    for byte in text.encode():
        char = chr(byte)
        if char in _ESCAPES:
            parts.append(_ESCAPES[char])
        elif 0x20 <= byte < 0x7F:
            parts.append(char)
        else:
            parts.append(f"\\{byte:03o}")
    return f'"{"".join(parts)}"'
