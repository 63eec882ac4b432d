"""The BUILD files of a TensorFlow tree, loaded on demand."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tfcarve.build_files.evaluate import BuildFileError, Rule, evaluate

# In a Bazel repository TensorFlow's BUILD files are renamed; otherwise their folders would be packages.
BUILD_FILE_NAMES = ("BUILD.upstream", "BUILD", "BUILD.bazel")


@dataclass(frozen=True)
class Label:
    """The label of a target, //package:name."""

    package: str
    name: str

    @property
    def path(self) -> str:
        """Returns the label as the path of a source file, relative to the tree's root."""
        return f"{self.package}/{self.name}"


def parse_label(text: str, package: str, repositories: Mapping[str, str]) -> Label | None:
    """Returns a label as written in a package, or None if it is in another repository.

    Args:
      text: the label.
      package: that it is written in.
      repositories: external repositories whose folders are in the tree; "" is the tree's root.
    """
    if text.startswith("@"):
        repository, _, rest = text.lstrip("@").partition("//")
        if repository not in repositories:
            return None
        folder = repositories[repository]
        separator = "/" if folder and not rest.startswith(":") else ""
        text = f"//{folder}{separator}{rest}"
    if text.startswith("//"):
        package, _, name = text[2:].partition(":")
        return Label(package, name or package.rsplit("/", 1)[-1])
    return Label(package, text.removeprefix(":"))


@dataclass
class BuildTree:
    """The rules of a source tree, by package."""

    root: Path
    repositories: Mapping[str, str] = field(default_factory=dict)
    _packages: dict[str, dict[str, Rule]] = field(default_factory=dict)

    def rules(self, package: str) -> dict[str, Rule]:
        """Returns the rules of a package by name; empty: it has no BUILD file.

        Raises:
          BuildFileError: the BUILD file is invalid.
        """
        if package not in self._packages:
            path = _build_file(self.root / package)
            self._packages[package] = self._evaluated(path, package) if path else {}
        return self._packages[package]

    def _evaluated(self, path: Path, package: str) -> dict[str, Rule]:
        name = f"{package}/{path.name}" if package else path.name
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise BuildFileError(f"{name}:{line}: the file is not UTF-8") from None
        return evaluate(text, name, _files_below(path.parent))

    def rule(self, label: Label) -> Rule | None:
        """Returns the rule that a label refers to; None if the label is a file or does not exist."""
        return self.rules(label.package).get(label.name)

    def filegroup(self, label: Label) -> list[str]:
        """Returns the source files of a filegroup and of nested filegroups, as sorted paths relative to the root.

        Raises:
          BuildFileError: a BUILD file is invalid, or srcs is not a list of strings.
        """
        return sorted(self._expand(label, set()))

    def _expand(self, label: Label, seen: set[Label]) -> set[str]:
        if label in seen:
            return set()
        seen.add(label)
        rule = self.rule(label)
        if rule is None:
            return {label.path} if (self.root / label.path).is_file() else set()
        out: set[str] = set()
        for text in rule.labels("srcs"):
            inner = parse_label(text, label.package, self.repositories)
            if inner is not None:
                out |= self._expand(inner, seen)
        return out


def _build_file(folder: Path) -> Path | None:
    return next((folder / n for n in BUILD_FILE_NAMES if (folder / n).is_file()), None)


def _files_below(folder: Path) -> list[str]:
    """Returns the files of a package, for glob(); a folder with a BUILD file is another package."""
    return [str(Path(f).relative_to(folder)) for f in _walk(folder)]


def _walk(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and _build_file(Path(entry.path)) is None:
                yield from _walk(Path(entry.path))
