"""Tests of the indexer's cache."""

import subprocess
import sys
from pathlib import Path

from tfcarve.registry import cache
from tfcarve.releases import known

_IMPORTED = """
import sys
import tfcarve.registry.scan
print(*(m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "tfcarve"), sep="\\n")
"""


def test_every_imported_module_is_part_of_the_key() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED], check=True, capture_output=True, text=True
    )
    imported = set(map(Path, done.stdout.split()))
    assert len(imported) > 20
    assert imported <= set(cache.code_files())


def test_data_of_releases_is_part_of_the_key() -> None:
    names = {file.name for file in known.data_files()}
    assert {"other_trees.toml", "release.toml", "options.h"} <= names
