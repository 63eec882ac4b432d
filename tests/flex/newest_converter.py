"""Converts the models of these tests with the TensorFlow of this environment: `python -m flex.newest_converter FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from flex import flex_models

if __name__ == "__main__":
    flex_models.write(Path(sys.argv[1]))
