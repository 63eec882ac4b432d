"""Libraries of the TensorFlow releases that are not the default: their models have full TensorFlow's outputs.

A machine that can get no source archive of a release skips its test. A folder with the archive, or TFCARVE_DISTDIR, provides it.
"""

from __future__ import annotations

import numpy as np
import pytest

from demo import cached_models, library
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.library import Library
from e2e.builds import app_workspace
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.releases import known

_RELEASES = [name for name in known.names() if name != known.default_name()]
_PLATFORMS = ("linux_arm64", "linux_x86_64")
_TARGET = "//inception:release"
_NO_ARCHIVE = "could not get the source of tensorflow"


def _built(app: Workspace, name: str) -> dict[str, Library]:
    """Returns the library of each platform."""
    groups = [f"{platform}{end}" for platform in _PLATFORMS for end in ("", "_programs")]
    flags = [f"--repo_env=TFCARVE_RELEASE={name}", f"--output_groups={','.join(groups)}"]
    try:
        build = app.build([_TARGET], flags)
    except BuildError as error:
        if _NO_ARCHIVE in str(error):
            pytest.skip(f"TensorFlow {name}: this machine cannot get its source archive")
        raise
    return {
        platform: Library.among(
            platform, build.named(_TARGET, platform, f"{platform}_programs").values()
        )
        for platform in _PLATFORMS
    }


def _require_output(built: Library, model: CachedModel) -> None:
    answer = library.run(built, model, "")
    assert answer.status == 0, answer.message
    assert answer.output is not None
    expected = np.load(model.output)
    assert library.largest_difference(answer.output, expected) <= TOLERANCE
    # The control: another order of classes exceeds the tolerance.
    assert library.largest_difference(np.roll(answer.output, 1), expected) > TOLERANCE


@pytest.mark.parametrize("name", _RELEASES)
def test_outputs(name: str) -> None:
    models = [cached_models.load(model) for model in ("inception_v3", "lstm", "mobilenet_v2")]
    with app_workspace.opened(f"release_{name}") as app:
        app_workspace.use_models(app, models)
        for built in _built(app, name).values():
            for model in models:
                _require_output(built, model)
