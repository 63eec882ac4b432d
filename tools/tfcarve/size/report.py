"""The size report of a library: its bytes by part, file, kernel class, op and model."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Literal, TypeVar, get_args

import msgspec

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.size.origin import LINKER, Part

VERSION: Literal[1] = 1

# Sizes of a library in bytes: the stripped file; what is loaded and never written; the file compressed by
# `gzip -9`, which is about the download size.
Measure = Literal["stripped", "text", "gzip"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

_MAX_BYTES = 2**63 - 1
_Bytes = Annotated[int, msgspec.Meta(ge=-_MAX_BYTES, le=_MAX_BYTES)]
_Size = Annotated[int, msgspec.Meta(ge=1, le=_MAX_BYTES)]
_Key = TypeVar("_Key", str, tuple[str, str])


class Entry(JsonDocument, frozen=True, order=True):
    """Bytes of the stripped file: of a symbol (or "") of a kernel class (or "") of a source file of a part."""

    part: Part
    file: str
    clazz: str = msgspec.field(name="class")
    symbol: str
    bytes: _Bytes


class Kernel(JsonDocument, frozen=True, order=True):
    """A kernel class of the selection, with the ops that it implements and the models that need it."""

    file: str
    clazz: str = msgspec.field(name="class")
    ops: tuple[str, ...]
    models: tuple[str, ...]


class Definition(JsonDocument, frozen=True, order=True):
    """An OpDef of the selection: its source file and the models that need it."""

    file: str
    op: str
    models: tuple[str, ...]


class Report(JsonDocument, frozen=True, kw_only=True):
    """The size report of a library for one platform.

    Attributes:
      version: VERSION.
      platform: name of the platform.
      sizes: bytes by measure.
      attributed: bytes of the stripped file that belong to a source.
      models: the models that the library was carved for.
      kernels: the kernel classes of the selection.
      definitions: the OpDefs of the selection.
      entries: the bytes of the stripped file; they sum to its size.
    """

    version: Literal[1]
    platform: str
    sizes: Mapping[Measure, _Size]
    attributed: int
    models: tuple[str, ...]
    kernels: tuple[Kernel, ...]
    definitions: tuple[Definition, ...]
    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        require_all_measures(self.sizes, "sizes")
        classes = {(kernel.file, kernel.clazz) for kernel in self.kernels}
        for entry in self.entries:
            if entry.clazz and (entry.file, entry.clazz) not in classes:
                raise ValueError(
                    f"entries: {entry.clazz!r} of {entry.file} is not among the kernels"
                )
        # Then no sum of entries, such as those that a committed file has, is larger.
        if sum(abs(entry.bytes) for entry in self.entries) > _MAX_BYTES:
            raise ValueError(f"entries: more than {_MAX_BYTES} bytes in total")
        if self.attributed != attributed_bytes(self.entries):
            raise ValueError(
                f"attributed: {self.attributed} bytes, which is not the sum of the entries"
            )

    def by(self, key: Callable[[Entry], _Key]) -> dict[_Key, int]:
        """Returns the bytes for each key, in descending order."""
        found: Counter[_Key] = Counter()
        for entry in self.entries:
            found[key(entry)] += entry.bytes
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> bytes:
        """Returns the JSON form: the same bytes for the same report."""
        return json_codec.encode(self)


def require_all_measures(sizes: Mapping[Measure, int], what: str) -> None:
    """Raises ValueError if a measure is missing in the field `what`."""
    if sizes.keys() != set(MEASURES):
        raise ValueError(f"{what}: expected {', '.join(MEASURES)}")


def attributed_bytes(entries: Iterable[Entry]) -> int:
    """Returns the bytes of those entries that belong to a source."""
    return sum(entry.bytes for entry in entries if entry.part != LINKER)


def parse(data: bytes, where: str) -> Report:
    """Reads a report.

    Args:
      data: the file's content.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no report of VERSION, or its values contradict each other.
    """
    try:
        return json_codec.decode(data, Report, where)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected a size report, which `tfcarve size` writes"
        ) from None
