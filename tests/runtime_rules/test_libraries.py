"""Each runtime rule in carved libraries: its model runs with the rule and fails without it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from demo.nested import Workspace
from e2e import building, given
from models import frozen
from runtime_rules import leaving_out, rule_models
from runtime_rules.rule_models import MODELS
from tfcarve.selection import runtime_rules, selection
from tfcarve.selection.selection import Selection

_CONDITIONAL = frozenset(rule.id for rule in runtime_rules.load() if rule.when)
# They name ops whose kernels come from the source that registers _Arg by itself.
_IN_FUNCTION_OPS = frozenset(("gradient", "list_converter"))
_ALWAYS = tuple(model.rule for model in MODELS.values() if model.rule not in _CONDITIONAL)


@dataclass(frozen=True)
class App:
    """The nested app with all models in it."""

    workspace: Workspace
    selection: Selection  # for all models, by all rules
    models: Path  # NAME.pb, NAME.input.npy and NAME.output.npy of each

    def library(self, selected: Selection) -> Path:
        """Builds the library for a selection; returns the program that runs a model in it."""
        folder = self.models / "given"
        folder.mkdir(exist_ok=True)
        given.place(self.workspace, selected, folder)
        build = self.workspace.build([given.LIBRARY], ["--output_groups=runner"])
        return build.files(given.LIBRARY, "runner")[0]

    def without(self, rules: frozenset[str], names: frozenset[str]) -> Path:
        """Builds the library for some models without some rules."""
        files = {f"{name}.pb" for name in names}
        return self.library(leaving_out.without(self.selection, files, runtime_rules.load(), rules))

    def run(self, program: Path, name: str) -> subprocess.CompletedProcess[str]:
        """Runs a model in a library; its output is then in ran.npy."""
        output = self.models / "ran.npy"
        output.unlink(missing_ok=True)
        return subprocess.run(
            [
                program,
                self.models / f"{name}.pb",
                f"--input={frozen.INPUT}={self.models / f'{name}.input.npy'}",
                f"--output={frozen.OUTPUT}={output}",
            ],
            check=False,
            text=True,
            capture_output=True,
            timeout=60,
        )


def _write_models(folder: Path) -> None:
    for name, model in MODELS.items():
        graph = model.maker()
        known = rule_models.with_constants(graph)
        (output,) = frozen.run(known, {frozen.INPUT: model.fed}, [frozen.OUTPUT])
        (folder / f"{name}.pb").write_bytes(graph.SerializeToString(deterministic=True))
        np.save(folder / f"{name}.input.npy", model.fed)
        np.save(folder / f"{name}.output.npy", output)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("models")
    _write_models(folder)
    with building.app() as workspace:
        workspace.place(given.PACKAGE, {file.name: file for file in folder.glob("*.pb")}, "*.pb")
        target = f"//{given.PACKAGE}:selection"
        made = workspace.build([target]).files(target)
        (file,) = [f for f in made if f.name == "selection.json"]
        yield App(workspace, selection.parse(file.read_bytes(), str(file)), folder)


def _names(rules: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name, model in MODELS.items() if model.rule in rules)


def test_with_all_rules_each_model_gives_what_full_tensorflow_gives(app: App) -> None:
    everything = app.without(frozenset(), frozenset(MODELS))
    for name in MODELS:
        done = app.run(everything, name)
        assert done.returncode == 0, (name, done.stderr)
        expected = np.load(app.models / f"{name}.output.npy")
        np.testing.assert_allclose(np.load(app.models / "ran.npy"), expected, atol=1e-6)


def test_leaving_nothing_out_leaves_the_selection_as_it_is(app: App) -> None:
    rules = runtime_rules.load()
    files = {f"{name}.pb" for name in MODELS}
    assert leaving_out.without(app.selection, files, rules, ()) == app.selection


def test_without_its_rule_each_model_fails(app: App) -> None:
    # All conditional rules at once, for no model asks for two of them (test_models): so each of
    # these models lacks its own rule and nothing else.
    program = app.without(_CONDITIONAL, _names(_CONDITIONAL))
    for name in sorted(_names(_CONDITIONAL)):
        _fails(app, program, name)


@pytest.mark.parametrize("rule", _ALWAYS)
def test_without_a_rule_that_always_holds_its_model_fails(app: App, rule: str) -> None:
    # Without the conditional rules as well: these models ask for none. What the other models need is
    # there, so that few units differ from the build before.
    program = app.without(_CONDITIONAL | {rule}, frozenset(MODELS) - _IN_FUNCTION_OPS)
    for name in _names(frozenset({rule})):
        _fails(app, program, name)


def _fails(app: App, program: Path, name: str) -> None:
    done = app.run(program, name)
    assert done.returncode not in (0, 2), (name, done.stderr)
    assert MODELS[name].error in done.stderr, name
    assert not (app.models / "ran.npy").exists()
