"""The source files and helper sources of the kernels of all zoo models, about 200 units, in the index.

Models that need a library which tfcarve does not build are skipped: tests/zoo/test_libraries.py lists them. The source
files are checked as in tests/e2e/test_kernel_sources.py, the helper sources by the symbols of the objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from e2e.builds import app_workspace, kernel_log, prebuilt_selection
from e2e.objects import symbols
from e2e.objects.symbols import Symbols
from tfcarve.app.workspace import Workspace
from tfcarve.releases import known
from tfcarve.selection import libraries
from tfcarve.selection.selection import Selection
from zoo import cached
from zoo.selecting import selected, tensorflow_index


@pytest.fixture(scope="module")
def selection() -> Selection:
    models = [cached.load(name).model for name in sorted(cached.MODELS)]
    return selected(
        *(model for model in models if not libraries.missing(selected(model), known.release()))
    )


@pytest.fixture(scope="module")
def workspace(
    selection: Selection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    with app_workspace.opened() as opened:
        prebuilt_selection.place(opened, selection, tmp_path_factory.mktemp("selection"))
        yield opened


@pytest.fixture(scope="module")
def archives(workspace: Workspace) -> Mapping[str, Path]:
    """The static libraries of units and helper sources, by name."""
    # With the flag, as in the other test, so that the units are compiled once.
    build = workspace.build(
        [prebuilt_selection.LIBRARY], [kernel_log.FLAG, "--output_groups=parts"]
    )
    return build.named(prebuilt_selection.LIBRARY, "parts")


@pytest.fixture(scope="module")
def units(archives: Mapping[str, Path]) -> Mapping[str, Symbols]:
    return symbols.by_source([archives["libunits.a"]])


@pytest.fixture(scope="module")
def objects(archives: Mapping[str, Path], units: Mapping[str, Symbols]) -> Mapping[str, Symbols]:
    return {**units, **symbols.by_source([archives["libhelpers.a"]])}


def test_each_kernel_registers_in_the_file_of_the_index(
    workspace: Workspace, selection: Selection
) -> None:
    said = kernel_log.logged(kernel_log.of_library(workspace, prebuilt_selection.LIBRARY))
    assert said.total() > 300
    assert said == kernel_log.expected(selection, tensorflow_index().registrations)


def test_each_unit_links_with_its_helpers_alone(
    units: Mapping[str, Symbols], objects: Mapping[str, Symbols]
) -> None:
    """No unit needs another one, which an app may have or not: the link of all of them would hide that."""
    helpers = tensorflow_index().helpers
    left = {u: symbols.needed_from_others(u, helpers.get(u, ()), objects) for u in units}
    assert len(left) > 150
    assert not {unit: others for unit, others in left.items() if others}


def test_missing_helpers_are_noticed(
    units: Mapping[str, Symbols], objects: Mapping[str, Symbols]
) -> None:
    assert sum(bool(symbols.needed_from_others(unit, (), objects)) for unit in units) > 50
