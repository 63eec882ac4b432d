"""The files that the index names, for the kernels of all models of the zoo together: some 200 units.

Less the models that need a library which tfcarve does not build: tests/zoo/test_libraries.py names them.
As tests/e2e/test_kernel_sources.py for where kernels register; and the helpers of each unit by the objects' symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from demo.nested import Workspace
from e2e import app_workspace, kernel_log, prebuilt_selection, symbols
from e2e.symbols import Symbols
from tfcarve.selection import libraries
from tfcarve.selection.selection import Selection
from zoo import keeping
from zoo.selecting import selected, tensorflow_index


@pytest.fixture(scope="module")
def selection() -> Selection:
    models = [keeping.kept(name).model for name in sorted(keeping.MODELS)]
    return selected(*(model for model in models if not libraries.missing(selected(model))))


@pytest.fixture(scope="module")
def workspace(
    selection: Selection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    with app_workspace.opened() as opened:
        prebuilt_selection.place(opened, selection, tmp_path_factory.mktemp("given"))
        yield opened


@pytest.fixture(scope="module")
def archives(workspace: Workspace) -> Mapping[str, Path]:
    """The static libraries of the units and of the helpers, by name."""
    # With the flag, as the other test: the units are compiled once.
    build = workspace.build(
        [prebuilt_selection.LIBRARY], [kernel_log.FLAG, "--output_groups=parts"]
    )
    return {file.name: file for file in build.files(prebuilt_selection.LIBRARY, "parts")}


@pytest.fixture(scope="module")
def units(archives: Mapping[str, Path]) -> Mapping[str, Symbols]:
    return symbols.by_source([archives["libunits.a"]])


@pytest.fixture(scope="module")
def objects(archives: Mapping[str, Path], units: Mapping[str, Symbols]) -> Mapping[str, Symbols]:
    return {**units, **symbols.by_source([archives["libhelpers.a"]])}


def test_each_kernel_of_the_zoo_registers_in_the_file_that_the_index_names(
    workspace: Workspace, selection: Selection
) -> None:
    said = kernel_log.logged(kernel_log.of_library(workspace, prebuilt_selection.LIBRARY))
    assert said.total() > 300
    assert said == kernel_log.expected(selection, tensorflow_index().load().registrations)


def test_each_unit_links_with_its_helpers_alone(
    units: Mapping[str, Symbols], objects: Mapping[str, Symbols]
) -> None:
    """No unit needs another one, which an app may have or not: the link of all of them would hide that."""
    helpers = tensorflow_index().load().helpers
    left = {u: symbols.needed_from_others(u, helpers.get(u, ()), objects) for u in units}
    assert len(left) > 150
    assert not {unit: others for unit, others in left.items() if others}


def test_a_unit_without_its_helpers_would_be_found_out(
    units: Mapping[str, Symbols], objects: Mapping[str, Symbols]
) -> None:
    assert sum(bool(symbols.needed_from_others(unit, (), objects)) for unit in units) > 50
