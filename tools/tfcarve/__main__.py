"""`python -m tfcarve` runs the command `tfcarve`."""

import sys

from tfcarve.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
