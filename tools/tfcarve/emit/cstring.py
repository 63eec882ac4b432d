"""C++ string literals."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "?": "\\?"}


def quote(text: str) -> str:
    """Returns `text` as a single C++ string literal; any text is safe."""
    return quote_bytes(text.encode())


def quote_bytes(data: bytes) -> str:
    """Returns `data` as a single C++ string literal."""
    parts = []
    for byte in data:
        char = chr(byte)
        if char in _ESCAPES:
            parts.append(_ESCAPES[char])
        elif 0x20 <= byte < 0x7F:
            parts.append(char)
        else:
            parts.append(f"\\{byte:03o}")
    return f'"{"".join(parts)}"'
