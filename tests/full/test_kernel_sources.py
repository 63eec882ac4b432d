"""As tests/e2e/test_kernel_sources.py, for the kernels of all models of the zoo together: some 200 units.

Less the models that need a library which tfcarve does not build: tests/zoo/test_libraries.py names them.
"""

from __future__ import annotations

from pathlib import Path

from e2e import building, given, kernel_log
from tfcarve.selection import libraries
from zoo import keeping
from zoo.selecting import selected, tensorflow_index


def test_each_kernel_of_the_zoo_registers_in_the_file_that_the_index_names(tmp_path: Path) -> None:
    models = [keeping.kept(name).model for name in sorted(keeping.MODELS)]
    selection = selected(*(model for model in models if not libraries.missing(selected(model))))
    with building.app() as workspace:
        given.place(workspace, selection, tmp_path)
        log = kernel_log.of_library(workspace, given.LIBRARY)
    said = kernel_log.logged(log)
    assert len(said) > 300
    assert said == kernel_log.expected(selection, tensorflow_index().load().registrations)
