"""The rules with the behaviour of later Bazel versions, as far as flags of this version select it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest

from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace

_TARGETS = ["//:release", "//:app_test", "//prepared:library", "//proof/..."]
_OFF = re.compile(r"^  --\[no\](incompatible_\w+) .*default: \"false\"\)", re.MULTILINE)
# Flags with which this version does not work at all, and why.
_NOT_USABLE = {
    "incompatible_no_rule_outputs_param": "Bazel's own cc_binary uses the parameter",
    "incompatible_stop_exporting_language_modules": "rules_cc 0.0.11 loads CcInfo from Bazel",
}


# In all builds here, so that repositories are fetched with one kind of name only.
_NAMES = "incompatible_use_plus_in_repo_names"


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened("analysis") as workspace:
        yield workspace


@pytest.fixture(name="flags", scope="module")
def _flags(app: Workspace) -> Sequence[str]:
    """The flags that are off by default."""
    return _OFF.findall(app.bazel(["help", "build", "--long"]).stdout)


def _analysed(app: Workspace, flags: Sequence[str]) -> tuple[bool, str]:
    options = ["--nobuild", "--noshow_progress", *(f"--{flag}" for flag in flags)]
    done = app.bazel(["build", *options, "--", *_TARGETS])
    return done.returncode == 0, done.stdout


def test_all_flags(app: Workspace, flags: Sequence[str]) -> None:
    assert len(flags) > 30
    usable = [flag for flag in flags if flag not in _NOT_USABLE]
    succeeds, log = _analysed(app, usable)
    assert succeeds, log


@pytest.mark.parametrize("flag", _NOT_USABLE)
def test_flag_is_not_usable(flag: str, app: Workspace, flags: Sequence[str]) -> None:
    """The control: flags have an effect."""
    assert flag in flags
    succeeds, log = _analysed(app, [flag, _NAMES])
    assert not succeeds
    assert flag in log or "CcInfo" in log
