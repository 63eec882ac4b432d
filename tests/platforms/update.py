"""Updates the table of platforms in README.md: `PYTHONPATH=tests python -m platforms.update`."""

import sys
from pathlib import Path

from platforms import declared, table

_HERE = Path("tests/platforms")


def updated(root: Path) -> str:
    """Returns README.md with the current table, for a tree of this repository."""
    rows = table.parse((root / _HERE / "proofs.yaml").read_text(encoding="utf-8"))
    labels = {label for row in rows for label in row.tests()}
    packages = {label.removeprefix("//").partition(":")[0] for label in labels}
    known: dict[str, bool] = {}
    for package in sorted(packages):
        known |= declared.tests(root, package)
    readme = (root / "README.md").read_text(encoding="utf-8")
    return table.placed(readme, table.markdown(rows, known))


def main(root: Path = Path()) -> int:
    """Writes README.md of the tree `root`. Exit status 0."""
    (root / "README.md").write_text(updated(root), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
