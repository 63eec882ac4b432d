"""tf_model_test with the app's library: models that run, one with a wrong golden, and one that the library was not carved for."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace

_TESTS = ["//proof:tiny_test", "//proof:tiny_arm64_test", "//proof:tolerant_test"]


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _test(app: Workspace, targets: list[str]) -> tuple[int, str]:
    done = app.bazel(["test", "--test_output=errors", "--noshow_progress", "--", *targets])
    return done.returncode, done.stdout


def test_model_tests_pass(app: Workspace) -> None:
    status, log = _test(app, _TESTS)
    assert status == 0, log


def test_wrong_output_fails_the_test(app: Workspace) -> None:
    status, log = _test(app, ["//proof:wrong_test"])
    assert status == 3, log
    assert (
        "output 'output' differs in 1 of 6 numbers by more than the tolerance, 1e-05 * (1 +" in log
    )
    assert re.search(r"[|]\); element 5 is \S+, not \S+ ", log)


def test_model_outside_of_the_selection_lists_all_that_is_missing(app: Workspace) -> None:
    status, log = _test(app, ["//proof:outside_test"])
    assert status == 3, log
    assert log.count("this library lacks") == 1
    for line in (
        "op Relu6, for node six, node again",
        "op PartitionedCall, for node call",
        "op Softsign, for node sign of function ",
        "kernel of op MatMul (T=double), for node product",
    ):
        assert f"\n  {line}" in log
