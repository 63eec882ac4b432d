"""The sums of a tensor's channels over all samples. Pure."""

from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.graph.tensors import Array


@dataclass(frozen=True)
class ChannelSums:
    """Sums of the values of each channel, which is the last dimension of a tensor.

    Attributes:
      sums: float64 [channels], or None without values.
      count: the number of values of each channel.
    """

    sums: Array | None = None
    count: int = 0

    def with_values(self, values: Array) -> "ChannelSums":
        """Returns the sums with more values; the number of channels must be the same."""
        if not values.size or not values.ndim:
            return self
        rows = values.reshape(-1, values.shape[-1])
        sums = rows.sum(axis=0, dtype=np.float64)
        if self.sums is not None and self.sums.shape == sums.shape:
            sums = self.sums + sums
        return ChannelSums(sums, self.count + len(rows))

    def means(self) -> tuple[float, ...]:
        """Returns the mean of each channel as float32 numbers, or an empty tuple without values."""
        if self.sums is None:
            return ()
        return tuple(map(float, (self.sums / self.count).astype(np.float32)))
