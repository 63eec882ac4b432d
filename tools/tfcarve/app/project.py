"""The files of a workspace that builds a library for some models. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.app.emulators import EMULATORS
from tfcarve.emit import templates

LIBRARY = "tensorflow"
RELEASE = "release"
MODELS = "models"
NO_PRESET = "none"
LITE_SUFFIX = ".tflite"
_GRAPH_SUFFIX = ".pb"
_RESERVED = {LIBRARY, RELEASE, MODELS}


@dataclass(frozen=True)
class Model:
    """A model of the library.

    Attributes:
      name: of its target.
      source: the user's file, or the folder of a SavedModel.
      path: where the workspace has it.
      data: the user's .npz file with samples of its inputs; None: random values.
    """

    name: str
    source: Path
    path: str
    data: Path | None = None

    @property
    def data_path(self) -> str:
        """Where the workspace has the samples."""
        return f"{MODELS}/{self.name}.npz"

    @property
    def golden(self) -> str:
        """The name of the target with a sample and full TensorFlow's outputs."""
        return f"{self.name}_golden"

    @property
    def is_lite(self) -> bool:
        """Whether it is a TensorFlow Lite model."""
        return self.source.suffix.lower() == LITE_SUFFIX


@dataclass(frozen=True)
class Preparation:
    """How models are prepared, as the attributes of tf_prepared_model say."""

    preset: str
    fuse: bool = False
    tolerance: str = ""
    signature: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def is_calibrated(self) -> bool:
        """Whether the preset measures ranges on samples."""
        return self.preset in ("int8", "weights8")


@dataclass(frozen=True)
class Project:
    """A library, its models and its platforms.

    Attributes:
      module: the root of tfcarve's Bazel module.
      release: the TensorFlow that is built, such as "2.14".
      platforms: names of rules/platforms.
      models: TensorFlow Lite models only, or others only.
      preparation: of all models.
      custom_ops: the user's C++ sources with custom ops.
    """

    module: Path
    release: str
    platforms: tuple[str, ...]
    models: tuple[Model, ...]
    preparation: Preparation
    custom_ops: tuple[Path, ...] = ()

    @property
    def is_delegate(self) -> bool:
        """Whether the library is a Flex delegate for TensorFlow Lite models."""
        return all(model.is_lite for model in self.models)

    def target(self, model: Model) -> str:
        """Returns the label of the GraphDef that the app ships for a model."""
        return model.path if self.is_shipped_unchanged(model) else f":{model.name}"

    def is_shipped_unchanged(self, model: Model) -> bool:
        """Whether the app ships the user's file of a model."""
        is_graph = model.source.suffix == _GRAPH_SUFFIX and not model.source.is_dir()
        return self.is_delegate or (self.preparation.preset == NO_PRESET and is_graph)

    @property
    def why_not_run(self) -> str:
        """Why no model can run in the library here; "" if models can."""
        if self.is_delegate:
            return "the library is a delegate for TensorFlow Lite's interpreter"
        if self.custom_ops:
            return "full TensorFlow does not have the custom ops"
        if not any(name in EMULATORS for name in self.platforms):
            return "its programs do not run on this machine"
        return ""

    @property
    def needs_tensorflow(self) -> bool:
        """Whether the build runs full TensorFlow."""
        return not self.why_not_run or not all(map(self.is_shipped_unchanged, self.models))

    def texts(self) -> dict[str, str]:
        """Returns the texts of the files that Bazel reads, by their paths."""
        return {
            name: templates.fill(f"app/{name}.j2", project=self, no_preset=NO_PRESET).decode()
            for name in ("BUILD", "MODULE.bazel")
        }

    def copies(self) -> dict[str, Path]:
        """Returns the user's files and folders, by their paths in the workspace."""
        found = {model.path: model.source for model in self.models}
        found.update({model.data_path: model.data for model in self.models if model.data})
        found.update({source.name: source for source in self.custom_ops})
        return found


def models(sources: Sequence[Path], data: Mapping[Path, Path]) -> tuple[Model, ...]:
    """Names the targets of models after their files.

    Args:
      sources: the user's files and folders.
      data: the files with samples of some of them.
    """
    names = _names(sources)
    return tuple(
        Model(
            name,
            source,
            f"{MODELS}/{name}{'' if source.is_dir() else source.suffix}",
            data.get(source),
        )
        for name, source in zip(names, sources, strict=True)
    )


def _names(sources: Iterable[Path]) -> list[str]:
    found: list[str] = []
    for source in sources:
        stem = (
            re.sub(r"\W+", "_", source.name.partition(".")[0], flags=re.ASCII).strip("_") or "model"
        )
        name, number = stem, 2
        while name in found or name in _RESERVED:
            name, number = f"{stem}_{number}", number + 1
        found.append(name)
    return found
