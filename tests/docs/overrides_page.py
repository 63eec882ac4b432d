"""docs/overrides.md: tfcarve's sources that replace TensorFlow's, from each release's release.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence

from docs.markdown import NOTE, cell, code, table

_INTRODUCTION = """\
An override is a file of tfcarve that replaces TensorFlow's file of the same path. Overrides are in
`third_party/tensorflow/overrides`; the first lines of each file say what differs. Each row in `release.toml` has the
SHA-256 of the TensorFlow file that it replaces, so another release shows which overrides need a review. *Headers of kernels*
change the templates that many sources instantiate: all sources include them before TensorFlow's headers. *Added kernels* replace
no file: TensorFlow defines their ops, but mobile builds have no kernels for them.

*Bytes saved* in a library and *compile time*, in seconds of CPU time, are compared with TensorFlow's file;
[benchmarks/results/OVERRIDES.md](../benchmarks/results/OVERRIDES.md) says how they were measured, and why TensorFlow's file does not compile or
link without other overrides where there is no number. A test compares the results with full TensorFlow: the column *Test*. [design.md](design.md#overrides) describes how overrides enter
the build, and [how to add one](how-to/override.md) lists the steps.
"""
_PARTS = {
    "core": ("Runtime", "core"),
    "kernels": ("Kernels", "kernels"),
    "headers": ("Headers of kernels", "headers"),
    "added": ("Added kernels", "kernels"),
}
_COLUMNS = ("Bytes saved", "Compile time (TensorFlow's file)")
# A header is compiled with each source that includes it, and there is nothing to compare an added kernel with.
_MEASURED_COLUMNS = {"core": _COLUMNS, "kernels": _COLUMNS, "headers": (), "added": ()}


_MEASURED = re.compile(r"^\| `([^`]+)` \| [^|]+ \| (.+) \| (\S+) \| (\S+) \|$", re.MULTILINE)


def _measurements(benchmark: str) -> dict[str, tuple[str, str]]:
    """Returns bytes saved and compile time by the override's path, as cells, from the text of OVERRIDES.md."""
    return {
        path: (saved if re.fullmatch(r"[+-][\d,]+", saved) else "-", f"{own} ({tensorflow})")
        for path, saved, own, tensorflow in _MEASURED.findall(benchmark)
    }


def _row(override: dict[str, str], measured: Sequence[str]) -> list[str]:
    name = override["test"].rpartition("/")[2]
    test = f"[{name}](../{override['test']})"
    return [code(override["path"]), cell(override["why"]), *measured, test]


def _require_same_paths(releases: Mapping[str, str], measured: Iterable[str]) -> None:
    overrides = [tomllib.loads(text)["overrides"] for text in releases.values()]
    paths = {
        one["path"] for tables in overrides for key in ("core", "kernels") for one in tables[key]
    }
    if differing := sorted(paths ^ set(measured)):
        raise ValueError(
            f"benchmarks/results/OVERRIDES.md lacks overrides, or has some that no release has: {differing}; run "
            "`PYTHONPATH=tools:tests:. python -m benchmarks.sources.overrides -o benchmarks/results/OVERRIDES.md`"
        )


def markdown(releases: Mapping[str, str], benchmark: str) -> str:
    """Returns the page. It has the releases that are proved.

    Args:
        releases: the text of release.toml of each release, by the release's name.
        benchmark: the text of benchmarks/results/OVERRIDES.md.

    Raises:
        ValueError: the benchmark has rows of other overrides than the releases, which were added or removed since.
    """
    releases = {name: text for name, text in releases.items() if tomllib.loads(text)["is_proved"]}
    measured = _measurements(benchmark)
    _require_same_paths(releases, measured)
    parts = [NOTE, "# Overrides\n", _INTRODUCTION]
    for release, text in releases.items():
        overrides = tomllib.loads(text)["overrides"]
        for key, (title, folder) in _PARTS.items():
            parts += [
                f"## {title}, TensorFlow {release}\n",
                f"Under `third_party/tensorflow/overrides/{folder}/`:\n",
                table(
                    ["File", "Why", *_MEASURED_COLUMNS[key], "Test"],
                    [_row(one, measured.get(one["path"], ())) for one in overrides[key]],
                ),
            ]
    return "\n".join(parts)
