"""The source files of the app's kernels in the index, compared with a build that logs each registration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import trees

from e2e.builds import app_workspace, kernel_log
from tfcarve.app.workspace import Workspace
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import selection
from tfcarve.selection.selection import Selection

TARGET = "//:tensorflow"
_MATMUL = "tensorflow/core/kernels/matmul_op_real.cc"


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


@pytest.fixture(scope="module")
def selected(app: Workspace) -> Selection:
    target = TARGET + "_selection"
    file = app.build([target]).named(target)["selection.json"]
    return selection.parse(file.read_bytes(), str(file))


@pytest.fixture(scope="module")
def log(app: Workspace) -> str:
    return kernel_log.of_library(app, TARGET)


@pytest.fixture(scope="module")
def indexed() -> KernelIndex:
    settings = Settings(known.release().defines, find_compiler(os.environ))
    return index.parse(scan.make_index(trees.tensorflow(), known.release(), settings), "index")


def test_each_kernel_registers_in_the_file_that_the_index_names(
    log: str, selected: Selection, indexed: KernelIndex
) -> None:
    said = kernel_log.logged(log)
    assert said["MatMul", _MATMUL] == 1, "there is a log"
    assert said == kernel_log.expected(selected, indexed.registrations)


def test_an_index_with_another_file_would_be_found_out(
    log: str, selected: Selection, indexed: KernelIndex
) -> None:
    wrong = [r for r in indexed.registrations if (r.op, r.file) != ("MatMul", _MATMUL)]
    assert kernel_log.logged(log) != kernel_log.expected(selected, wrong)


def test_without_the_macro_nothing_is_logged(app: Workspace) -> None:
    program = app.build([TARGET], ["--output_groups=programs"]).named(TARGET, "programs")[
        "run_model"
    ]
    assert isinstance(program, Path)
    assert not kernel_log.logged(kernel_log.of_program(program))
