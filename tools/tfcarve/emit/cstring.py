"""C++ string literals."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "?": "\\?"}


def quote(text: str) -> str:
    """Returns `text` as a C++ literal: whatever is in it, it stays one literal."""
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
