"""Reads the commands that a build ran from Bazel's execution log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

COMPILE = "CppCompile"


@dataclass(frozen=True)
class File:
    """A file that a command read or wrote, with its digest."""

    path: str
    digest: str


@dataclass(frozen=True)
class Spawn:
    """A command that Bazel ran, or whose outputs it fetched from the disk cache.

    The log does not contain up-to-date actions.

    Attributes:
      runner: how it ran: linux-sandbox, local, remote, …
      seconds: its wall time.
      inputs: the files that it read.
      produced: the files that it wrote: of a directory among `outputs`, the files in it.
    """

    mnemonic: str
    target: str
    outputs: tuple[str, ...]
    cached: bool
    arguments: tuple[str, ...]
    runner: str = ""
    seconds: float = 0.0
    inputs: tuple[File, ...] = ()
    produced: tuple[File, ...] = ()

    @property
    def source(self) -> str:
        """The name of the compiled file without its extension: bias_op."""
        return PurePosixPath(self.outputs[0]).name.partition(".")[0]


def spawns(text: str) -> Iterator[Spawn]:
    """The entries of a `--execution_log_json_file`: concatenated JSON objects."""
    decoder = json.JSONDecoder()
    position = 0
    while (start := _skip_spaces(text, position)) < len(text):
        entry, position = decoder.raw_decode(text, start)
        yield Spawn(
            mnemonic=entry["mnemonic"],
            target=entry.get("targetLabel", ""),
            outputs=tuple(entry["listedOutputs"]),
            cached=entry["cacheHit"],
            arguments=tuple(entry["commandArgs"]),
            runner=entry.get("runner", ""),
            inputs=_files(entry.get("inputs", ())),
            produced=_files(entry.get("actualOutputs", ())),
            seconds=float(entry.get("metrics", {}).get("executionWallTime", "0s").rstrip("s")),
        )


def _files(entries: Iterable[dict[str, Any]]) -> tuple[File, ...]:
    return tuple(File(entry["path"], entry.get("digest", {}).get("hash", "")) for entry in entries)


def _skip_spaces(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def compiles(found: Iterable[Spawn]) -> list[Spawn]:
    """The C++ compiles among them."""
    return [spawn for spawn in found if spawn.mnemonic == COMPILE]
