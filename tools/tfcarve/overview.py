"""The end of `tfcarve --help`: the subcommands in groups, and examples."""

import textwrap
from collections.abc import Mapping, Sequence

# From a SavedModel to the reasons for a kernel.
EXAMPLES = (
    "tfcarve inspect saved_model",
    "tfcarve freeze saved_model -o model.pb",
    "tfcarve transform model.pb --preset mobile -o small.pb",
    "tfcarve select small.pb -o selection.json",
    "tfcarve explain selection.json MatMul",
)


def overview(groups: Mapping[str, Sequence[str]], helps: Mapping[str, str], width: int) -> str:
    """Returns the subcommands with their help texts, and the examples.

    Args:
      groups: the names of the subcommands, by the title of their group.
      helps: the help text of each subcommand.
      width: the maximum length of a line, in characters; a narrow one is exceeded.
    """
    column = max(map(len, helps)) + 4
    width = max(width, 2 * column)
    parts = [
        "\n".join([f"{title}:", *(_row(name, helps[name], column, width) for name in names)])
        for title, names in groups.items()
    ]
    examples = "\n".join(["Examples:", *(f"  {example}" for example in EXAMPLES)])
    return "\n\n".join([*parts, examples])


def _row(name: str, text: str, column: int, width: int) -> str:
    start, others = f"  {name}".ljust(column), " " * column
    return textwrap.fill(
        text, width, initial_indent=start, subsequent_indent=others, break_on_hyphens=False
    )
