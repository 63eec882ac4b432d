"""What each link flag saves by itself: the objects of Inception v3, relinked without the flag.

    PYTHONPATH=tools:tests:. python -m benchmarks.size.links -o benchmarks/results/LINKS.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. The library is the default one of benchmarks/size/options.py; if it is built already, a run
takes a few seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page
from benchmarks.size import options
from demo import cached_models, library
from demo.nested import NestedError
from tfcarve import files
from tfcarve.app.workspace import ALL_OUTPUTS, BuildError, Workspace

# A linker optimization, and the prefix of its flags.
STEPS: Mapping[str, str] = {
    "identical functions folded": "-Wl,--icf=",
    "unreferenced sections removed": "-Wl,--gc-sections",
    "string tails merged": "-Wl,-O2",
    "only the C interface exported": "-Wl,--version-script=",
}
# Not a step: the link as Bazel runs it.
WHOLE = ""
_MAP = "-Wl,-Map="
_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.size.links -o benchmarks/results/LINKS.md"


@dataclass(frozen=True)
class Link:
    """A library linked without one step; sizes in bytes, of the stripped file."""

    platform: str
    step: str
    stripped: int
    gzip: int


def without(command: Sequence[str], step: str, output: Path) -> list[str]:
    """Returns a link's command with another output, without a map and without the flags of `step`.

    Raises:
      ValueError: the command has none of these flags, so nothing would be measured.
    """
    left = [word for word in command if not word.startswith(_MAP)]
    left[left.index("-o") + 1] = str(output)
    if step == WHOLE:
        return left
    rest = [word for word in left if not word.startswith(STEPS[step])]
    if rest == left:
        raise ValueError(f"the link has no flag {STEPS[step]}…")
    return rest


def _command(workspace: Workspace, target: str, mnemonic: str) -> list[str]:
    """The command of the action that links the library, or of the action that strips it."""
    query = f'mnemonic("{mnemonic}", outputs(".*/libtensorflow-core.so", deps({target})))'
    (action,) = workspace.actions(query)
    argv: list[str] = action["arguments"]
    return argv


def _links(workspace: Workspace, platform: str) -> Iterator[Link]:
    target = f"//{options.PACKAGE}:{platform}_{options.DEFAULT}"
    workspace.build([target], [ALL_OUTPUTS], progress=sys.stderr.isatty())
    root = workspace.execution_root()
    link = _command(workspace, target, "CppLink")
    strip = _command(workspace, target, "TfStrip")
    with tempfile.TemporaryDirectory() as folder:
        whole, stripped = Path(folder, "whole.so"), Path(folder, "stripped.so")
        for step in (WHOLE, *STEPS):
            subprocess.run(without(link, step, whole), cwd=root, check=True)
            subprocess.run([strip[0], "--strip-all", "-o", stripped, whole], cwd=root, check=True)
            yield Link(platform, step, stripped.stat().st_size, library.gzip_size(stripped))


def table(links: Sequence[Link]) -> str:
    """Returns the table as Markdown: what each step saves, compared with the library without it."""
    wholes = {link.platform: link for link in links if link.step == WHOLE}
    lines = []
    for link in links:
        whole = wholes[link.platform]
        pairs = ((link.stripped, whole.stripped), (link.gzip, whole.gzip))
        if link is whole:
            cells = ["all of them", *(f"{size:,} in total" for size, _ in pairs)]
        else:
            saved = (f"{size - of:,} ({(size - of) / size:.1%})" for size, of in pairs)
            cells = [link.step, *saved]
        lines.append([link.platform, *cells])
    return measure.markdown(("Platform", "Step", "saves bytes", "saves gzip"), lines)


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a library cannot be built."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size.links", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--platform", action="append", choices=options.PLATFORMS, dest="platforms", help="for this platform; may be repeated"
    )  # fmt: skip
    args = parser.parse_args(argv)
    try:
        with options.opened(cached_models.load(options.MODEL)) as workspace:
            platforms = args.platforms or options.PLATFORMS
            rows = [row for platform in platforms for row in _links(workspace, platform)]
    except (BuildError, NestedError) as error:
        print(f"links: {error}", file=sys.stderr)
        return 2
    head = page.head("Steps of the link", _COMMAND, measure.machine())
    files.write_if_changed(args.output, f"{head}\n{table(rows)}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
