"""What full TensorFlow computes without oneDNN, which computes some ops differently and fails for others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from models.frozen import Array


def computed(module: str, folder: Path) -> Mapping[str, Array]:
    """Runs a module as a program in a process without oneDNN; its argument is the .npz archive that it writes.

    Args:
      module: the module's name.
      folder: for the archive.

    Returns:
      The arrays of the archive.
    """
    file = folder / "computed.npz"
    environment = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0"}
    subprocess.run([sys.executable, "-m", module, file], check=True, env=environment)
    with np.load(file) as arrays:
        return dict(arrays)
