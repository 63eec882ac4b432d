"""What a library's bytes are for, as a frozen value with one JSON form."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.size.origin import LINKER, PARTS

VERSION = 1
_MOST_BYTES = 2**63 - 1

# What a library is measured by, in bytes: the stripped file; what of it is loaded and never written; the
# file as gzip -9 packs it, which is what a download comes to.
MEASURES = ("stripped", "text", "gzip")


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """`bytes` of the stripped file: a symbol of a kernel class (or "") of a source file of a part."""

    part: str
    file: str
    clazz: str
    symbol: str
    bytes: int


@dataclass(frozen=True, slots=True, order=True)
class Kernel:
    """A kernel class of the selection: the ops that it computes and the models that need it."""

    file: str
    clazz: str
    ops: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """An op's definition: the source that has it and the models that need it."""

    file: str
    op: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """One library of one platform. The entries sum to the stripped file."""

    platform: str
    sizes: Mapping[str, int]
    entries: tuple[Entry, ...]
    kernels: tuple[Kernel, ...]
    definitions: tuple[Definition, ...]
    models: tuple[str, ...]

    @property
    def attributed(self) -> int:
        """Bytes of the stripped file that are some source's."""
        return sum(e.bytes for e in self.entries if e.part != LINKER)

    def by(self, key: Callable[[Entry], str]) -> dict[str, int]:
        """Returns the bytes for each key, the most first."""
        found: Counter[str] = Counter()
        for entry in self.entries:
            found[key(entry)] += entry.bytes
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> bytes:
        """Returns the JSON form: sorted, the same bytes for the same report."""
        document = {
            "version": VERSION,
            "platform": self.platform,
            "sizes": dict(self.sizes),
            "attributed": self.attributed,
            "models": list(self.models),
            "kernels": [
                {"class": k.clazz, "file": k.file, "ops": list(k.ops), "models": list(k.models)}
                for k in self.kernels
            ],
            "definitions": [
                {"op": d.op, "file": d.file, "models": list(d.models)} for d in self.definitions
            ],
            "entries": [
                {
                    "part": e.part,
                    "file": e.file,
                    "class": e.clazz,
                    "symbol": e.symbol,
                    "bytes": e.bytes,
                }
                for e in self.entries
            ],
        }
        return (json.dumps(document, ensure_ascii=False, indent=0) + "\n").encode()


_FORM = {
    "version": int,
    "platform": str,
    "sizes": Each(int),
    "attributed": int,
    "models": [str],
    "kernels": [{"class": str, "file": str, "ops": [str], "models": [str]}],
    "definitions": [{"op": str, "file": str, "models": [str]}],
    "entries": [{"part": str, "file": str, "class": str, "symbol": str, "bytes": int}],
}


def _exactly(row: Mapping[str, Any], form: Mapping[str, Any], what: str) -> None:
    if row.keys() != form.keys():
        wrong = min(row.keys() ^ form.keys())
        raise ValueError(f"{what}: key {wrong!r} is {'unknown' if wrong in row else 'missing'}")


def _require_whole(report: Report) -> None:
    """Raises ValueError where a report has what `tfcarve size` never writes, and what is made of it would not hold."""
    for size in (*report.sizes.values(), *(entry.bytes for entry in report.entries)):
        if abs(size) > _MOST_BYTES:
            raise ValueError(f"{size} bytes, which no file has")
    if min(report.sizes.values()) <= 0:
        raise ValueError("sizes: a library has more than 0 bytes")
    classes = {(kernel.file, kernel.clazz) for kernel in report.kernels}
    for entry in report.entries:
        if entry.part not in PARTS:
            raise ValueError(f"entries: no part {entry.part!r}")
        if entry.clazz and (entry.file, entry.clazz) not in classes:
            raise ValueError(f"entries: {entry.clazz!r} of {entry.file} is not among the kernels")


def parse(data: bytes, where: str) -> Report:
    """Reads a report; raises InvalidInput where it is none, or of another version.

    Args:
      data: the file's content.
      where: its name, for messages.
    """
    try:
        document = json.loads(data)
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise ValueError(f"no size report of version {VERSION}")
        json_form.check(document, _FORM, "report")
        _exactly(document, _FORM, "report")
        for key in ("kernels", "definitions", "entries"):
            for row in document[key]:
                _exactly(row, _FORM[key][0], key)  # type: ignore[index]
        if sorted(document["sizes"]) != sorted(MEASURES):
            raise ValueError(f"sizes: {', '.join(MEASURES)} were expected")
        report = Report(
            document["platform"],
            document["sizes"],
            tuple(
                Entry(e["part"], e["file"], e["class"], e["symbol"], e["bytes"])
                for e in document["entries"]
            ),
            tuple(
                Kernel(k["file"], k["class"], tuple(k["ops"]), tuple(k["models"]))
                for k in document["kernels"]
            ),
            tuple(
                Definition(d["file"], d["op"], tuple(d["models"])) for d in document["definitions"]
            ),
            tuple(document["models"]),
        )
        _require_whole(report)
        return report
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: {error}: make it with `tfcarve size`") from None
