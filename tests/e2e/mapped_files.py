"""Models of e2e.constant_models as files, and the library that is carved for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from e2e import app_workspace
from e2e.constant_models import CASES, Case
from tfcarve.cli import main as tfcarve

_LIBRARY = "//mapped:library"
# An empty message as a prefix: what was aligned to 64 bytes no longer is.
_SHIFT = b"\x22\x00"


@dataclass(frozen=True)
class Files:
    """A case, and its graph as files: as TensorFlow writes it, aligned, misaligned, and in its memmapped format."""

    case: Case
    plain: Path
    aligned: Path
    misaligned: Path
    package: Path

    @classmethod
    def of(cls, case: Case, folder: Path, name: str) -> Files:
        """Writes the files."""
        plain, aligned, misaligned, package = (
            folder / f"{name}.{form}.pb" for form in ("plain", "aligned", "misaligned", "package")
        )
        plain.write_bytes(case.graph.SerializeToString(deterministic=True))
        assert tfcarve(["memmap", str(plain), "-o", str(aligned)]) == 0
        misaligned.write_bytes(_SHIFT + aligned.read_bytes())
        command = ["memmap", "--format", "tensorflow", str(plain), "-o", str(package)]
        assert tfcarve(command) == 0
        return cls(case, plain, aligned, misaligned, package)


def of_all_cases(folder: Path) -> dict[str, Files]:
    """Writes the files of all cases, by their names."""
    return {name: Files.of(make(), folder, name) for name, make in CASES.items()}


@contextmanager
def library(files: Mapping[str, Files]) -> Iterator[Path]:
    """Yields the shared library for the models, one in the memmapped format, while the workspace is locked."""
    models = {f"{name}.pb": f.plain for name, f in files.items()}
    models["dense.pb"] = files["dense"].package
    with app_workspace.opened() as workspace:
        workspace.place("mapped", models, "*.pb")
        built = workspace.build([_LIBRARY]).files(_LIBRARY)
        yield next(file for file in built if file.name == "libtensorflow-core.so")
