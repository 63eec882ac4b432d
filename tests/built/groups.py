"""What nested builds make for the tests: groups of targets of the app in tests/e2e/bzlmod."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from demo import cached_models, nested
from demo.inception import APP, MODEL, RELEASE
from e2e.builds import app_workspace, override_library
from e2e.graphs import (
    c_api_models,
    file_reads,
    library_graphs,
    mapped_files,
    override_graphs,
    protected_model,
    text_graphs,
)
from e2e.random_cases import accuracy, control_flow
from flex import flex_app

HOST, ARM64, ARMV7 = "linux_x86_64", "linux_arm64", "linux_armv7"
# Writes files to a folder and returns them by their names.
Write = Callable[[Path], Mapping[str, Path]]


@dataclass(frozen=True)
class Group:
    """Targets whose outputs are published together.

    Attributes:
      package: of the app; its files that `pattern` matches are replaced.
      targets: the output groups of each target.
      write: writes the files that the package's BUILD file expects.
      pattern: of the names of these files.
    """

    package: str
    targets: Mapping[str, tuple[str, ...]]
    write: Write
    pattern: str = "*.pb"


def _tiny(_folder: Path) -> Mapping[str, Path]:
    return {"tiny.pb": nested.source_tree() / APP / "tiny.pb"}


def _zoo(names: Sequence[str]) -> Write:
    def write(_folder: Path) -> Mapping[str, Path]:
        models = [cached_models.load(name) for name in names]
        return {file.name: file for one in models for file in (one.model, one.input, one.output)}

    return write


def _control_flow(folder: Path) -> Mapping[str, Path]:
    graphs = control_flow.complete() | {"file": file_reads.graph()}
    return app_workspace.write_graphs(graphs, folder)


def _named(files: Mapping[str, Path]) -> Mapping[str, Path]:
    return {file.name: file for file in files.values()}


_MODELS = (MODEL, "lstm", "mobilenet_v2")
# The models of the shared library, by the folder that they are in.
_SHARED: Mapping[str, Write] = {
    "c_api": lambda folder: _named(c_api_models.write(folder)),
    "control_flow": _control_flow,
    "graphs": lambda folder: app_workspace.write_graphs(library_graphs.GRAPHS, folder),
    "mapped": mapped_files.write_models,
    "overrides": lambda folder: app_workspace.write_graphs(
        {**override_graphs.graphs(override_graphs.QUICK), accuracy.NAME: accuracy.quick_kernels()},
        folder,
    ),
    "texts": lambda folder: app_workspace.write_graphs(
        {text_graphs.NAME: text_graphs.graph()}, folder
    ),
    "zoo": _zoo(_MODELS),
}


def _shared(folder: Path) -> Mapping[str, Path]:
    found = {}
    for name, write in _SHARED.items():
        own = folder / name
        own.mkdir()
        found.update({f"{name}/{file}": path for file, path in write(own).items()})
    return found


def _overrides(folder: Path) -> Mapping[str, Path]:
    return override_library.write_models(override_graphs.graphs(), folder)


_PROGRAMS = ("default", "programs")


def _with_programs(*platforms: str) -> tuple[str, ...]:
    """The output groups of a tf_multi_platform_library for platforms, with the programs."""
    return tuple(f"{name}{end}" for name in platforms for end in ("", "_programs"))


GROUPS: Mapping[str, Group] = {
    "app": Group(
        "",
        {
            "//:tensorflow": (*_PROGRAMS, "parts", "sizes"),
            "//archive:archive": ("default",),
            "//:release": (*_with_programs(HOST, ARM64), f"{HOST}_sbom", f"{ARM64}_sbom"),
            "//control:alwayslink": ("default",),
            "//control:forced": ("default",),
            "//control:plain": ("default",),
            "//control:shared": ("default",),
        },
        _tiny,
    ),
    "app_armv7": Group("", {"//:release_armv7": (ARMV7,)}, _tiny),
    "flex": Group(
        flex_app.PACKAGE,
        {
            flex_app.FEW: ("default",),
            flex_app.ONE_OP: ("default", "selection"),
            flex_app.ONE_OP_RELEASE: (HOST, ARM64),
            flex_app.OF_CUSTOM_OP: ("default",),
            flex_app.PRIVATE_ONE_OP: ("default",),
            flex_app.PRIVATE_SESSION: ("default",),
        },
        flex_app.write_models,
        "*.tflite",
    ),
    "flex_armv7": Group(
        flex_app.PACKAGE,
        {flex_app.DELEGATE_RELEASE_ARMV7: (ARMV7,)},
        flex_app.write_models,
        "*.tflite",
    ),
    "flex_full": Group(
        flex_app.PACKAGE,
        {flex_app.DELEGATE: ("default",), flex_app.DELEGATE_RELEASE: (HOST, ARM64)},
        flex_app.write_models,
        "*.tflite",
    ),
    # The demo builds it, too.
    "inception": Group("inception", {RELEASE: _with_programs(ARM64)}, _zoo([MODEL])),
    "models": Group("inception", {RELEASE: _with_programs(ARM64)}, _zoo(_MODELS)),
    "models_armv7": Group("inception", {f"{RELEASE}_armv7": _with_programs(ARMV7)}, _zoo(_MODELS)),
    "overrides": Group("overrides", {"//overrides:library": _PROGRAMS}, _overrides),
    "protected": Group(
        "protected",
        {"//protected:app": ("default",), "//protected:library": ("default",)},
        protected_model.write,
    ),
    "runtimes": Group(
        "runtimes",
        {"//runtimes:plan": ("default",), "//runtimes:session": ("default",)},
        _control_flow,
    ),
    "shared": Group(
        "shared",
        {
            "//shared:library": (*_PROGRAMS, "sizes"),
            "//attr_values:parse": ("default",),
            "//cords:cords": ("default",),
        },
        _shared,
    ),
}
