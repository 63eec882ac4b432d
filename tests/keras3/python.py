"""Runs a Python file in the environment with Keras 3: `python FILE`."""

import runpy
import sys

if __name__ == "__main__":
    runpy.run_path(sys.argv[1], run_name="__main__")
