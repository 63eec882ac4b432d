"""The members of a static archive (ar(5)), with long names in the forms of System V, GNU and BSD."""

from collections.abc import Iterator

from tfcarve.errors import InvalidInput

MAGIC = b"!<arch>\n"
_HEADER = 60
# A limit: without it, many members could refer to the same very long name.
_MAX_NAME = 4096


def members(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    """Yields the name and the content of each object in an archive.

    Args:
      data: the archive.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no archive, or a member ends beyond it.
    """
    if not data.startswith(MAGIC):
        raise InvalidInput(f"{where}: not a static archive: it does not begin with !<arch>")
    at, long_names = len(MAGIC), b""
    while at + _HEADER <= len(data):
        header = data[at : at + _HEADER]
        size_text = header[48:58].strip()
        if header[58:] != b"`\n" or not size_text.isdigit():
            raise InvalidInput(f"{where}: byte {at}: not a valid archive member header")
        start, size = at + _HEADER, int(size_text)
        if start + size > len(data):
            raise InvalidInput(
                f"{where}: byte {at}: a member of {size} bytes ends beyond the archive"
            )
        name, content = header[:16].rstrip(), data[start : start + size]
        if name == b"//":
            long_names = content
        elif name not in (b"/", b"/SYM64/"):
            yield _member(name, long_names, content)
        at = start + size + size % 2


def _member(name: bytes, long_names: bytes, content: bytes) -> tuple[str, bytes]:
    if name.startswith(b"/") and name[1:].isdigit():
        begin = int(name[1:])
        name = long_names[begin : begin + _MAX_NAME].partition(b"/\n")[0]
    elif name.startswith(b"#1/") and name[3:].isdigit():
        # BSD puts a long name before the content.
        length = int(name[3:])
        name, content = content[:length].rstrip(b"\0"), content[length:]
    else:
        name = name.removesuffix(b"/")
    return name.decode(errors="replace"), content
