"""What full TensorFlow computes without oneDNN, which computes some ops differently and fails for others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from models.frozen import Array


def computed(module: str, folder: Path, *arguments: str) -> Mapping[str, Array]:
    """Runs a module as a program in a process without oneDNN; its first argument is the .npz archive that it writes.

    Args:
      module: the module's name.
      folder: for the archive.
      *arguments: the program's further arguments.

    Returns:
      The arrays of the archive.
    """
    file = folder / "computed.npz"
    environment = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0"}
    subprocess.run([sys.executable, "-m", module, file, *arguments], check=True, env=environment)
    with np.load(file) as arrays:
        return dict(arrays)
