"""Prints the labels of ImageNet, one a line: `make_labels.py imagenet_classes.js > labels.txt`.

The file is in the npm package @tensorflow-models/mobilenet. Of several names for one label, the first one is printed.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

# A property of a JavaScript object: a number and a string.
_LABEL = re.compile(r"""^\s*(\d+): ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.MULTILINE)


def main() -> None:
    """Prints the labels in the order of their numbers."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    labels = {int(number): ast.literal_eval(name) for number, name in _LABEL.findall(text)}
    if sorted(labels) != list(range(len(labels))):
        sys.exit(f"{sys.argv[1]}: does not have labels with the numbers 0, 1, 2, …")
    for number in range(len(labels)):
        print(labels[number].partition(",")[0])


if __name__ == "__main__":
    main()
