"""Builds a project, runs its models in the libraries that run here, and copies the libraries to the user's folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.app import check, folder
from tfcarve.app.check import Checked, Programs, Shipped
from tfcarve.app.emulators import EMULATORS
from tfcarve.app.project import MODELS, RELEASE, Project
from tfcarve.app.workspace import Build, BuildError, Workspace
from tfcarve.errors import CheckFailed, InvalidInput

_TARGET = f"//:{RELEASE}"
# The file that each platform's folder has.
_MARK = "selection.json"
_PROGRAMS, _SBOM = "programs", "sbom"
_LIBRARIES = (
    *("libtensorflow-core.so", "libtensorflow-core.dylib"),
    *("libtensorflowlite_flex.so", "libtensorflow-core.a"),
)


@dataclass(frozen=True)
class Built:
    """A library for a platform.

    Attributes:
      platform: its name.
      library: the file in the user's folder: the shared library, or the static one of iOS.
      checked: the result of each model, by its name; empty if none was run.
      not_run: why the models did not run; "" if they did.
    """

    platform: str
    library: Path
    checked: dict[str, Checked]
    not_run: str = ""


def require_own(project: Project, output: Path) -> None:
    """Raises InvalidInput if a folder that will be replaced has other files than those of an earlier build."""
    for name in project.platforms:
        place = output / name
        if place.exists() and not (place / _MARK).is_file():
            raise InvalidInput(
                f"{place}: is no folder of an earlier `tfcarve build`: pass another folder to -o"
            )


def build(project: Project, output: Path, *, progress: bool) -> list[Built]:
    """Builds a project, runs its models, and copies the libraries if all is well.

    Args:
      project: the libraries and models.
      output: gets a folder for each platform, and the models that the app ships.
      progress: whether Bazel's messages go to the terminal.

    Raises:
      CheckFailed: the build fails, or a library does not compute TensorFlow's outputs. Nothing is copied.
    """
    with folder.opened(project) as workspace:
        built = _built(project, workspace, progress)
        shipped = _shipped(project, workspace, built)
        found = [_checked(project, platform, built, shipped) for platform in project.platforms]
        for platform in project.platforms:
            _copy(platform, built, output / platform)
        models = output / MODELS
        models.mkdir(parents=True, exist_ok=True)
        for model in shipped:
            shutil.copyfile(model.graph, models / f"{model.name}{model.graph.suffix}")
    return [
        Built(platform, _library(output / platform), checked, why)
        for platform, (checked, why) in zip(project.platforms, found, strict=True)
    ]


def _built(project: Project, workspace: Workspace, progress: bool) -> Build:
    groups = [
        "default",
        *(f"{name}_{group}" for name in project.platforms for group in (_PROGRAMS, _SBOM)),
    ]
    targets = [_TARGET]
    if not project.why_not_run:
        targets += [f"//:{model.golden}" for model in project.models]
    targets += [f"//:{m.name}" for m in project.models if not project.is_shipped_unchanged(m)]
    flags = [f"--output_groups={','.join(groups)}"]
    try:
        return workspace.build(targets, flags, progress=progress)
    except BuildError as error:
        raise CheckFailed(f"the build failed:\n{error}", ()) from None


def _shipped(project: Project, workspace: Workspace, built: Build) -> list[Shipped]:
    found = []
    for model in project.models:
        graph = workspace.folder / model.path
        if not project.is_shipped_unchanged(model):
            (graph,) = built.files(f"//:{model.name}")
        # Bazel lists a directory, or the files in it.
        samples = {
            file if file.is_dir() else file.parent for file in built.files(f"//:{model.golden}")
        }
        found.append(Shipped(model.name, graph, samples.pop() if samples else None))
    return found


def _checked(
    project: Project, platform: str, built: Build, shipped: Iterable[Shipped]
) -> tuple[dict[str, Checked], str]:
    """Returns the result of each model in the library for a platform, or why none was run."""
    why_not = project.why_not_run or _why_not_run(platform)
    if why_not:
        return {}, why_not
    named = built.named(_TARGET, f"{platform}_{_PROGRAMS}")
    programs = Programs(platform, named["run_model"], named["benchmark_model"])
    tolerance = float(project.preparation.tolerance or 0)
    return {model.name: check.check(model, programs, tolerance) for model in shipped}, ""


def _copy(platform: str, built: Build, target: Path) -> None:
    """Copies the library for a platform, with its programs."""
    inside = f"/{RELEASE}/{platform}/"
    (source,) = {
        Path(str(file).partition(inside)[0] + inside)
        for file in built.files(_TARGET)
        if inside in str(file)
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    folder.replace(source, target)
    (target / _PROGRAMS).mkdir()
    for name, file in built.named(_TARGET, f"{platform}_{_PROGRAMS}").items():
        shutil.copy(file, target / _PROGRAMS / name)


def _library(place: Path) -> Path:
    return next(place / name for name in _LIBRARIES if (place / name).is_file())


def _why_not_run(platform: str) -> str:
    """Why a platform's programs do not run on this machine; "" if they do."""
    if os.uname().machine != "x86_64":
        return "models run on x86-64 machines only, where qemu emulates other CPUs"
    emulator = EMULATORS.get(platform)
    if emulator is None:
        return "its programs do not run on this machine"
    if emulator and not shutil.which(emulator[0]):
        return f"{emulator[0]} is not on PATH; try: sudo apt-get install qemu-user-static"
    return ""
