"""Tests each runtime rule in carved libraries: its model runs with the rule and fails without it.

The same library runs a model whose kernel is registered through TensorFlow's C API.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from e2e.builds import app_workspace, prebuilt_selection
from models import frozen
from runtime_rules import rule_models, without_rules
from runtime_rules.rule_models import MODELS
from tfcarve.app.workspace import Workspace
from tfcarve.releases import known
from tfcarve.selection import runtime_rules, selection
from tfcarve.selection.selection import Selection

_CONDITIONAL = frozenset(rule.id for rule in runtime_rules.load(known.release()) if rule.when)
# Models with ops whose kernels are in the source that always registers _Arg.
_IN_FUNCTION_OPS = frozenset(("gradient", "list_converter"))
_BITS = "bits"
# Programs that perform a partial run; that run a model in a session with two devices, or with an option; and that print the
# order in which the closures of two runs are performed.
_PARTIAL_RUN = f"//{prebuilt_selection.PACKAGE}:partial_run"
_TWO_DEVICES = f"//{prebuilt_selection.PACKAGE}:two_devices"
_SESSION_OPTIONS = f"//{prebuilt_selection.PACKAGE}:session_options"
_RUN_PRIORITIES = f"//{prebuilt_selection.PACKAGE}:run_priorities"
_ALL = frozenset((*MODELS, _BITS))
_NUMBER = np.array(-1.5, np.float32)
_ALWAYS = tuple(model.rule for model in MODELS.values() if model.rule not in _CONDITIONAL)


@dataclass(frozen=True)
class App:
    """The nested app with all models in it."""

    workspace: Workspace
    selection: Selection  # for all models, with all rules
    models: Path  # the folder of NAME.pb, NAME.input.npy and NAME.output.npy

    def carve(self, omitted: frozenset[str], names: frozenset[str]) -> None:
        """Makes the library that of some models, without some rules."""
        files = {f"{name}.pb" for name in names}
        rules = runtime_rules.load(known.release())
        selected = without_rules.without(self.selection, files, rules, omitted)
        folder = self.models / "selected"
        folder.mkdir(exist_ok=True)
        prebuilt_selection.place(self.workspace, selected, folder)

    def program(self, *, partial: bool = False) -> Path:
        """Builds the library; returns the program that runs a model in it."""
        if partial:
            return self.workspace.build([_PARTIAL_RUN]).files(_PARTIAL_RUN)[0]
        build = self.workspace.build([prebuilt_selection.LIBRARY], ["--output_groups=programs"])
        return build.named(prebuilt_selection.LIBRARY, "programs")["run_model"]

    def run(self, program: Path, name: str) -> subprocess.CompletedProcess[str]:
        """Runs a model in a library, which writes the output to ran.npy."""
        output = self.models / "ran.npy"
        output.unlink(missing_ok=True)
        return _run(
            program,
            self.models / f"{name}.pb",
            f"--input={frozen.INPUT}={self.models / f'{name}.input.npy'}",
            f"--output={frozen.OUTPUT}={output}",
        )

    def partial_run(self, program: Path, name: str) -> subprocess.CompletedProcess[str]:
        """Performs a partial run of a model of one number, which prints the output."""
        (self.models / "ran.npy").unlink(missing_ok=True)
        fed = str(MODELS[name].fed)
        return _run(program, self.models / f"{name}.pb", frozen.INPUT, fed, frozen.OUTPUT)


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, text=True, capture_output=True, timeout=60)


def _write(folder: Path, name: str, graph: Any) -> None:
    (folder / f"{name}.pb").write_bytes(graph.SerializeToString(deterministic=True))


def _write_models(folder: Path) -> None:
    for name, model in MODELS.items():
        graph = model.make()
        known = rule_models.with_constants(graph)
        (output,) = frozen.run(known, {frozen.INPUT: model.fed}, [frozen.OUTPUT])
        _write(folder, name, graph)
        np.save(folder / f"{name}.input.npy", model.fed)
        np.save(folder / f"{name}.output.npy", output)
    _write(folder, _BITS, rule_models.bits())
    np.save(folder / f"{_BITS}.input.npy", _NUMBER)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("models")
    _write_models(folder)
    with app_workspace.opened() as workspace:
        workspace.place(
            prebuilt_selection.PACKAGE, {file.name: file for file in folder.glob("*.pb")}, "*.pb"
        )
        target = f"//{prebuilt_selection.PACKAGE}:selection"
        file = workspace.build([target]).named(target)["selection.json"]
        yield App(workspace, selection.parse(file.read_bytes(), str(file)), folder)


def _partial_names() -> list[str]:
    return [name for name, model in MODELS.items() if model.is_partial]


def _names(rules: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name, model in MODELS.items() if model.rule in rules)


def test_with_all_rules_each_model_has_full_tensorflows_output(app: App) -> None:
    app.carve(frozenset(), _ALL)
    program = app.program()
    for name in MODELS:
        done = app.run(program, name)
        assert done.returncode == 0, (name, done.stderr)
        expected = np.load(app.models / f"{name}.output.npy")
        np.testing.assert_allclose(np.load(app.models / "ran.npy"), expected, atol=1e-6)

    # The same library: a kernel that is registered through TensorFlow's C API, and partial runs.
    done = app.run(program, _BITS)
    assert done.returncode == 0, done.stderr
    ran = np.load(app.models / "ran.npy")
    assert (ran.dtype, int(ran)) == (np.int32, int(_NUMBER.view(np.int32)))
    program = app.program(partial=True)
    for name in _partial_names():
        done = app.partial_run(program, name)
        assert done.returncode == 0, (name, done.stderr)
        assert float(done.stdout) == float(np.load(app.models / f"{name}.output.npy"))
    # The same library: colocated nodes are not moved to a common device.
    program = app.workspace.build([_TWO_DEVICES]).files(_TWO_DEVICES)[0]
    (name, *_) = _partial_names()
    words = (program, app.models / f"{name}.pb", frozen.INPUT, "-1.5", frozen.OUTPUT)
    together, apart = (_run(*words, device) for device in ("/cpu:1", "/cpu:0"))
    assert together.returncode == 0, together.stderr
    assert apart.returncode == 1
    message = f"{frozen.OUTPUT} is on .*CPU:1 and must be colocated with {frozen.INPUT}, which is on .*CPU:0"
    assert re.search(message, apart.stderr), apart.stderr
    _require_options(app)


def _require_options(app: App) -> None:
    """The same library: options of sessions and runs that overrides implement or refuse."""
    program = app.workspace.build([_SESSION_OPTIONS]).files(_SESSION_OPTIONS)[0]
    (name, *_) = _partial_names()
    fed, expected = str(MODELS[name].fed), float(np.load(app.models / f"{name}.output.npy"))

    def ran(option: str) -> subprocess.CompletedProcess[str]:
        words = (app.models / f"{name}.pb", frozen.INPUT, fed, frozen.OUTPUT, option)
        return _run("env", "TF_CPP_MIN_LOG_LEVEL=0", program, *words)

    for option, error in (
        ("build_cost_model", "UNIMPLEMENTED: .* set graph_options.build_cost_model to 0"),
        ("debug_options", "TFDBG is not linked in this TensorFlow build"),
    ):
        refused = ran(option)
        assert (refused.returncode, refused.stdout) == (1, ""), option
        assert re.search(error, refused.stderr), refused.stderr
    placement = (
        rf"\] {frozen.INPUT}: \(Placeholder\): /job:localhost/replica:0/task:0/device:CPU:0$"
    )
    for option, logs in (("log_device_placement", True), ("run_handler_pool_options", False)):
        done = ran(option)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == expected, option
        assert bool(re.search(placement, done.stderr, re.MULTILINE)) == logs, done.stderr
    order = _run(app.workspace.build([_RUN_PRIORITIES]).files(_RUN_PRIORITIES)[0])
    assert order.stdout.split() == ["high1", "high2", "low1", "low2"] * 2, order.stderr


def test_without_no_rules_is_the_selection_itself(app: App) -> None:
    rules = runtime_rules.load(known.release())
    files = {f"{name}.pb" for name in _ALL}
    assert without_rules.without(app.selection, files, rules, ()) == app.selection


def test_without_its_rule_each_model_fails(app: App) -> None:
    # All conditional rules at once: no model needs two of them (test_rule_models), so that each model lacks only its
    # own rule.
    app.carve(_CONDITIONAL, _names(_CONDITIONAL))
    program = app.program()
    for name in sorted(_names(_CONDITIONAL)):
        _fails(app, app.run(program, name), MODELS[name].error)
    # A model that the library was not carved for.
    _fails(app, app.run(program, _BITS), f"op Bitcast, for node {frozen.OUTPUT}")


@pytest.mark.parametrize("rule", _ALWAYS)
def test_without_an_unconditional_rule_its_model_fails(app: App, rule: str) -> None:
    # Without the conditional rules as well, which these models do not need. The library contains the ops of the other
    # models, so that few units differ from the previous build.
    app.carve(_CONDITIONAL | {rule}, frozenset(MODELS) - _IN_FUNCTION_OPS)
    (name,) = _names(frozenset({rule}))
    model = MODELS[name]
    program = app.program(partial=model.is_partial)
    run = app.partial_run if model.is_partial else app.run
    _fails(app, run(program, name), model.error)


def _fails(app: App, done: subprocess.CompletedProcess[str], error: str) -> None:
    assert done.returncode not in (0, 2), done.args
    assert error in done.stderr, done.args
    assert not (app.models / "ran.npy").exists()
