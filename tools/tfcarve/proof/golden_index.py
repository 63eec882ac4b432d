"""sample.json: the files of a sample for a model, with the outputs that full TensorFlow computed."""

from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.json_codec import JsonDocument

INDEX = "sample.json"


class Entry(JsonDocument, frozen=True):
    """A tensor of a sample.

    Attributes:
      tensor: its name, such as "x" or "x:1".
      file: the name of its .npy file in the sample's folder.
    """

    tensor: str
    file: str


class GoldenSample(JsonDocument, frozen=True):
    """The content of sample.json: the tensors to feed, and the outputs with their expected values."""

    inputs: tuple[Entry, ...]
    outputs: tuple[Entry, ...]


def read(folder: Path) -> GoldenSample:
    """Returns the index of a sample's folder; raises InvalidInput if it is damaged."""
    path = folder / INDEX
    return json_codec.decode(files.read_bytes(path), GoldenSample, str(path))
