"""ranges.json: value ranges and channel means of a model's tensors, which `tfcarve calibrate` measures and quantization uses."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from tfcarve import files, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument

VERSION: Literal[1] = 1
Method = Literal["entropy", "minmax", "percentile"]
# The ranges become constants of type float32.
_MAX = float(np.finfo(np.float32).max)


class TensorRange(JsonDocument, frozen=True):
    """The range of a tensor.

    Attributes:
      tensor: "node", or "node:1" for an output other than the first; for a RequantizationRange node, its name.
      low: the float that the smallest quantized value represents.
      high: the float that the largest one represents.
    """

    tensor: str
    low: float
    high: float


class ChannelMeans(JsonDocument, frozen=True):
    """The means of the channels that a node with weights reads.

    Attributes:
      node: a Conv2D, DepthwiseConv2dNative or MatMul.
      means: of each channel, over all samples.
    """

    node: str
    means: tuple[float, ...]


class Ranges(JsonDocument, frozen=True, kw_only=True):
    """ranges.json.

    Attributes:
      version: VERSION.
      model_sha256: the SHA-256 of the model's frozen graph, as tfcarve writes it.
      method: how the ranges were chosen.
      percentile: of the method percentile, else null.
      samples: the number of samples.
      ranges: sorted by tensor.
      means: sorted by node; without them, biases are not corrected.
    """

    version: Literal[1]
    model_sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    method: Method
    percentile: Annotated[float, msgspec.Meta(ge=50, le=100)] | None
    samples: Annotated[int, msgspec.Meta(ge=1)]
    ranges: tuple[TensorRange, ...]
    means: tuple[ChannelMeans, ...] = ()

    def by_tensor(self) -> Mapping[str, TensorRange]:
        """Returns the ranges by tensor."""
        return {each.tensor: each for each in self.ranges}

    def to_json(self) -> bytes:
        """Returns the document, a line for each range and each node with means."""
        return json_codec.encode_rows(self)


def parse(data: bytes, where: str) -> Ranges:
    """Decodes ranges.json.

    Args:
      data: the file's content; untrusted.
      where: its name, for messages.

    Raises:
      InvalidInput: it is not such a document, a range is empty, or a range or a mean is not finite as
        float32 or given twice.
    """
    remedy = "create it with `tfcarve calibrate`"
    found = json_codec.decode_version(data, Ranges, where, VERSION, remedy)
    seen: set[str] = set()
    for each in found.ranges:
        _check(each, where)
        if each.tensor in seen:
            raise InvalidInput(f"{where}: tensor {each.tensor!r}: two ranges: remove one")
        seen.add(each.tensor)
    seen.clear()
    for mean in found.means:
        named = f"{where}: node {mean.node!r}"
        if not all(math.isfinite(each) and abs(each) <= _MAX for each in mean.means):
            raise InvalidInput(f"{named}: a mean is not finite in float32: calibrate again")
        if mean.node in seen:
            raise InvalidInput(f"{named}: two lists of means: remove one")
        seen.add(mean.node)
    return found


def _check(each: TensorRange, where: str) -> None:
    named = f"{where}: tensor {each.tensor!r}: the range from {each.low:g} to {each.high:g}"
    magnitudes = abs(each.low), abs(each.high), abs(each.high - each.low)
    if not all(math.isfinite(size) and size <= _MAX for size in magnitudes):
        raise InvalidInput(f"{named} is not finite in float32: calibrate again")
    if not np.float32(each.low) < np.float32(each.high):
        raise InvalidInput(f"{named} is empty: the low end must be less than the high end")


def read(path: Path) -> Ranges:
    """Reads ranges.json; raises InvalidInput as `parse` does, or if the file cannot be read."""
    return parse(files.read_bytes(path), str(path))
