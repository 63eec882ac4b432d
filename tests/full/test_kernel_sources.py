"""As tests/e2e/test_kernel_sources.py, for the kernels of all models of the zoo together: some 200 units.

Less the models that need a library which tfcarve does not build: tests/zoo/test_libraries.py names them.
"""

from __future__ import annotations

import os
from pathlib import Path

import trees

from e2e import building, given, kernel_log
from tfcarve.commands.common import default_defines
from tfcarve.models.read import read
from tfcarve.registry import index, scan
from tfcarve.selection import leftover_kinds, libraries, runtime_rules
from tfcarve.selection.resolve import resolve
from zoo import keeping


def test_each_kernel_of_the_zoo_registers_in_the_file_that_the_index_names(tmp_path: Path) -> None:
    settings = scan.Settings(default_defines(), scan.find_compiler(os.environ))
    indexed = index.parse(scan.make_index(trees.tensorflow(), settings), "index")
    rules, kinds = runtime_rules.load(), leftover_kinds.load()
    models = [read(keeping.kept(name).model) for name in sorted(keeping.MODELS)]
    built = [
        m for m in models if not libraries.missing(resolve([m], indexed, rules, kinds).selection)
    ]
    selected = resolve(built, indexed, rules, kinds).selection
    with building.app() as workspace:
        given.place(workspace, selected, tmp_path)
        log = kernel_log.of_library(workspace, given.LIBRARY)
    said = kernel_log.logged(log)
    assert len(said) > 300
    assert said == kernel_log.expected(selected, indexed.load().registrations)
