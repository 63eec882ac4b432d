"""Renames groups of weights in archives of Keras 2.14 and earlier, so that later releases of Keras 2 find them.

Source: keras/src/saving/saving_lib.py of Keras 2.14 (`_walk_trackable` finds the layers of a model under this name first) and of
tf_keras 2.16 (which skips it).
"""

import shutil
import zipfile
from pathlib import Path
from typing import Any

_WEIGHTS = "model.weights.h5"
_OLD, _NEW = "_layer_checkpoint_dependencies", "layers"


def _rename(group: Any) -> None:
    import h5py

    if _OLD in group and _NEW not in group:
        group.move(_OLD, _NEW)
    for member in group.values():
        if isinstance(member, h5py.Group):
            _rename(member)


def with_renamed_groups(path: Path, folder: Path) -> Path:
    """Returns a copy of a .keras archive in `folder` whose weights have the names of Keras 2.15 and later."""
    import h5py

    copy, weights = folder / path.name, folder / _WEIGHTS
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            if member != _WEIGHTS:
                new.writestr(member, old.read(member))
        with old.open(_WEIGHTS) as source, weights.open("wb") as target:
            shutil.copyfileobj(source, target)
        with h5py.File(weights, "r+") as file:
            _rename(file)
        new.write(weights, _WEIGHTS)
    weights.unlink()
    return copy
