"""Builds the groups in the nested app and publishes their outputs: what //tests/built:libraries runs."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

from built import published
from built.groups import GROUPS, Group
from demo.nested import NestedError
from e2e.builds import app_workspace
from tfcarve.app.build_events import Outputs
from tfcarve.app.workspace import BuildError, Workspace

# A release has the proof of each of its platforms in its output groups.
_FLAGS = ("--norun_validations",)
_BAZELW = "_main/bazelw"


def _build(workspace: Workspace, groups: Mapping[str, Group]) -> Outputs:
    """Builds all targets; those with the same output groups in one go."""
    wanted: dict[tuple[str, ...], list[str]] = {}
    for group in groups.values():
        for target, output_groups in group.targets.items():
            wanted.setdefault(output_groups, []).append(target)
    outputs: dict[tuple[str, str], tuple[Path, ...]] = {}
    for output_groups, targets in wanted.items():
        named = f"--output_groups={','.join(output_groups)}"
        outputs.update(workspace.build(targets, [named, *_FLAGS]).outputs)
    return outputs


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 1 if a build fails.

    Args:
      argv: NAME=FOLDER for each group, and done=FILE.
    """
    folders = {name: Path(path) for name, _, path in (word.partition("=") for word in argv)}
    done = folders.pop("done")
    groups = {name: GROUPS[name] for name in folders}
    # The checkout: this action has no sandbox, and the file is a link to its own.
    bazelw = (Path(os.environ["RUNFILES_DIR"]) / _BAZELW).resolve()
    os.environ.setdefault("TFCARVE_BAZELW", str(bazelw))
    try:
        with tempfile.TemporaryDirectory() as scratch, app_workspace.opened() as workspace:
            models = {}
            for name, group in groups.items():
                folder = Path(scratch, name)
                folder.mkdir()
                models[name] = group.write(folder)
                placed = {
                    file.replace("/", "."): path
                    for file, path in models[name].items()
                    if path.match(group.pattern)
                }
                workspace.place(group.package, placed, group.pattern)
            outputs = _build(workspace, groups)
            for name, group in groups.items():
                own = {key: files for key, files in outputs.items() if key[0] in group.targets}
                published.publish(own, models[name], folders[name])
            done.touch()
    except (BuildError, NestedError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
