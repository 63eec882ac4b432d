"""Models of e2e.graphs.constant_models as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from e2e.graphs.constant_models import CASES, Case
from tfcarve.cli import main as tfcarve

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


def write_models(folder: Path) -> dict[str, Path]:
    """Writes the models that the library is carved for, one in the memmapped format; returns the files by their names."""
    files = of_all_cases(folder)
    models = {f"{name}.pb": found.plain for name, found in files.items()}
    return {**models, "dense.pb": files["dense"].package}
