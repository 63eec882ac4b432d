"""Sizes of libraries as Markdown: carved ones, ratios to larger ones, and published figures of other projects."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks import measure


class Variant(enum.Enum):
    """How much a library contains."""

    CARVED = "what the model needs"
    WHOLE = "all of the same sources"
    STOCK = "all portable kernels"


@dataclass(frozen=True)
class Measured:
    """A stripped shared library.

    Attributes:
      model: its name; empty for the stock library, which is the same for all models.
      platform: the platform that it is built for.
      variant: how much it contains.
      sources: number of sources that are compiled for their registrations.
      kernels: number of pairs of op and class that it registers.
      left_out: number of further ops and kernels, for any device, that these sources could register.
      stripped: its size in bytes.
      gzip: its size compressed by `gzip -9`, in bytes.
    """

    model: str
    platform: str
    variant: Variant
    sources: int
    kernels: int
    left_out: int
    stripped: int
    gzip: int


@dataclass(frozen=True)
class Published:
    """A figure that another project published."""

    who: str
    what: str
    size: str
    where: str


# By their own measures: packages, programs or libraries.
PUBLISHED = (
    Published("TensorFlow, 2017", "Inception v3, selective registration", "12 MB, then 1.5 MB", "tensorflow.org/mobile/optimizing"),
    Published("Indus OS, 2016", "about 30 ops, selective registration", "12 MB, then 4.1 MB", "vetional.github.io/2016/tensorflow-basics"),
    Published("TensorFlow Lite", "SPICE, AAR of the TensorFlow ops, arm64", "2,298,630", "tensorflow.org/lite/guide/reduce_binary_size"),
    Published("TensorFlow Lite", "i3d, AAR of the TensorFlow ops, 32-bit Arm", "1,708,597", "tensorflow.org/lite/guide/reduce_binary_size"),
    Published("ONNX Runtime", "minimal build without any op, Android arm64", "at most 1,595,392", "the limit in its CI"),
    Published("ExecuTorch", "all ops; one op", "at most 2,730,352; 260,464", "the limits in its CI"),
)  # fmt: skip

_HEAD = ("Model", "Platform", "carved", "gzip")


def ratio(ours: int, theirs: int) -> str:
    """Returns the ratio of another size to tfcarve's, e.g. `2.5x`."""
    return f"{theirs / ours:.1f}x"


def sizes(rows: Iterable[Measured]) -> str:
    """Returns the table of sizes, a line for each model and platform, in the order of `rows`.

    Variants without a row have no column; `-` is another size that was not measured.
    """
    measured = list(rows)
    found = {(m.model, m.platform, m.variant): m for m in measured}
    present = {m.variant for m in measured}
    others = [variant for variant in (Variant.WHOLE, Variant.STOCK) if variant in present]
    lines = []
    for ours in measured:
        if ours.variant is Variant.CARVED:
            cells = [ours.model, ours.platform, f"{ours.stripped:,}", f"{ours.gzip:,}"]
            for variant in others:
                model = "" if variant is Variant.STOCK else ours.model
                cells += _beside(ours, found.get((model, ours.platform, variant)))
            lines.append(cells)
    names = [text for variant in others for text in (variant.value, "gzip")]
    return measure.markdown((*_HEAD, *names), lines)


def contents(rows: Iterable[Measured]) -> str:
    """Returns the table of what the libraries contain, a line for each model; platforms do not differ."""
    first: dict[tuple[str, Variant], Measured] = {}
    for m in rows:
        first.setdefault((m.model, m.variant), m)
    lines = [
        [m.model or "-", variant.value, f"{m.sources:,}", f"{m.kernels:,}", f"{m.left_out:,}"]
        for (_, variant), m in first.items()
    ]
    return measure.markdown(("Model", "Library", "sources", "kernels", "left out"), lines)


def published(figures: Sequence[Published] = PUBLISHED) -> str:
    """Returns the table of published figures."""
    return measure.markdown(
        ("Who", "What", "Published", "Where"), [[p.who, p.what, p.size, p.where] for p in figures]
    )


def _beside(ours: Measured, theirs: Measured | None) -> list[str]:
    if theirs is None:
        return ["-", "-"]
    pairs = ((ours.stripped, theirs.stripped), (ours.gzip, theirs.gzip))
    return [f"{size:,} ({ratio(own, size)})" for own, size in pairs]
