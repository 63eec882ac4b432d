"""Updates the tables of tests on the pages that have one: `PYTHONPATH=tests python -m platforms.update`."""

import sys
import tomllib
from pathlib import Path

from platforms import declared, suite, table

_HERE = Path("tests/platforms")
_README, _PLATFORMS = Path("README.md"), Path("docs/platforms.md")
_CONTRIBUTING = Path("CONTRIBUTING.md")
_RELEASES = Path("third_party/tensorflow/releases")


def _versions(root: Path) -> list[str]:
    """Returns the versions of TensorFlow that tfcarve builds; those that do not pass all tests say so."""
    files = sorted((root / _RELEASES).glob("*/release.toml"))
    read = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return [
        data["version"] + ("" if data["is_proved"] else " (on Linux, not with all tests)")
        for data in read
    ]


def updated(root: Path) -> dict[Path, str]:
    """Returns the pages with the current tables, for a tree of this repository."""
    rows = table.parse((root / _HERE / "proofs.yaml").read_text(encoding="utf-8"))
    labels = {label for row in rows for label in row.tests()}
    packages = {label.removeprefix("//").partition(":")[0] for label in labels}
    known: dict[str, bool] = {}
    for package in sorted(packages):
        known |= declared.tests(root, package)
    readme, platforms, contributing = (
        (root / page).read_text(encoding="utf-8") for page in (_README, _PLATFORMS, _CONTRIBUTING)
    )
    bazel = (root / ".bazelversion").read_text(encoding="utf-8").strip()
    full = suite.markdown(suite.by_name(root))
    return {
        _README: table.placed(readme, table.status(rows, _versions(root), bazel)),
        _PLATFORMS: table.placed(platforms, table.markdown(rows, known)),
        _CONTRIBUTING: table.placed(contributing, full, (suite.BEGIN, suite.END)),
    }


def main(root: Path = Path()) -> int:
    """Writes the pages of the tree `root`. Exit status 0."""
    for page, text in updated(root).items():
        (root / page).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
