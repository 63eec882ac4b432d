"""Updates the tables of tests in README.md and CONTRIBUTING.md: `PYTHONPATH=tests python -m platforms.update`."""

import sys
from pathlib import Path

from platforms import declared, suite, table

_HERE = Path("tests/platforms")
_README, _CONTRIBUTING = Path("README.md"), Path("CONTRIBUTING.md")


def updated(root: Path) -> dict[Path, str]:
    """Returns the pages with the current tables, for a tree of this repository."""
    rows = table.parse((root / _HERE / "proofs.yaml").read_text(encoding="utf-8"))
    labels = {label for row in rows for label in row.tests()}
    packages = {label.removeprefix("//").partition(":")[0] for label in labels}
    known: dict[str, bool] = {}
    for package in sorted(packages):
        known |= declared.tests(root, package)
    readme, contributing = (
        (root / page).read_text(encoding="utf-8") for page in (_README, _CONTRIBUTING)
    )
    full = suite.markdown(suite.by_name(root))
    return {
        _README: table.placed(readme, table.markdown(rows, known)),
        _CONTRIBUTING: table.placed(contributing, full, (suite.BEGIN, suite.END)),
    }


def main(root: Path = Path()) -> int:
    """Writes the pages of the tree `root`. Exit status 0."""
    for page, text in updated(root).items():
        (root / page).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
