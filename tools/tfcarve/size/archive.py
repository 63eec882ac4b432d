"""The members of a static archive: System V and GNU form, as ar(5) describes it, and BSD's long names."""

from collections.abc import Iterator

from tfcarve.errors import InvalidInput

_MAGIC = b"!<arch>\n"
_HEADER = 60
# What has more is damaged: all that follows would be read again for each member.
_LONGEST_NAME = 4096


def members(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    """Yields the name and the content of each object in an archive.

    Args:
      data: the archive.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no archive, or a member reaches beyond its end.
    """
    if not data.startswith(_MAGIC):
        raise InvalidInput(f"{where}: no static archive: it does not begin with !<arch>")
    at, long_names = len(_MAGIC), b""
    while at + _HEADER <= len(data):
        header = data[at : at + _HEADER]
        size_text = header[48:58].strip()
        if header[58:] != b"`\n" or not size_text.isdigit():
            raise InvalidInput(f"{where}: byte {at}: no header of an archive's member")
        start, size = at + _HEADER, int(size_text)
        if start + size > len(data):
            raise InvalidInput(
                f"{where}: byte {at}: a member of {size} bytes ends beyond the archive"
            )
        name, content = header[:16].rstrip(), data[start : start + size]
        if name == b"//":
            long_names = content
        elif name not in (b"/", b"/SYM64/"):
            yield _named(name, long_names, content)
        at = start + size + size % 2


def _named(name: bytes, long_names: bytes, content: bytes) -> tuple[str, bytes]:
    if name.startswith(b"/") and name[1:].isdigit():
        begin = int(name[1:])
        name = long_names[begin : begin + _LONGEST_NAME].partition(b"/\n")[0]
    elif name.startswith(b"#1/") and name[3:].isdigit():
        # BSD's form has a long name before the content.
        length = int(name[3:])
        name, content = content[:length].rstrip(b"\0"), content[length:]
    else:
        name = name.removesuffix(b"/")
    return name.decode(errors="replace"), content
