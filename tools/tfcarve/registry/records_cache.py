"""Raw records of sources, cached from one run to the next."""

import contextlib
from collections.abc import Mapping

import msgspec

from tfcarve.registry import cache
from tfcarve.registry.records import Records


def load(key: str) -> dict[str, Records]:
    """Returns the records cached under `key`, by the digest of each source; empty if there is no cache."""
    data = cache.read("records", key)
    if data is not None:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # damaged
            return msgspec.json.decode(data, type=dict[str, Records])
    return {}


def save(key: str, records: Mapping[str, Records]) -> None:
    """Replaces the records cached under `key`."""
    cache.write("records", key, msgspec.json.encode(records, order="sorted"))
