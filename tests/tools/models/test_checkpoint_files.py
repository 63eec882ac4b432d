"""Which checkpoint a path means: a prefix, one of its files, its graph, a folder, or the file `checkpoint`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.models.checkpoint_files import files, prefix

_TABLE = bytes(40) + bytes.fromhex("57fb808b247547db")
_TWO = ("a-1.index", "a-1.data-00000-of-00001", "a-1.meta", "a-10.index", "a-10.data-00000-of-00001")  # fmt: skip


def _checkpoints(folder: Path, names: tuple[str, ...], state: str | None = None) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(64) if ".data-" in name or ".txt" in name else _TABLE)
    if state is not None:
        (folder / "checkpoint").write_text(state)


def _state(name: str | Path) -> str:
    return f'model_checkpoint_path: "{name}"\nall_model_checkpoint_paths: "a-1"\n'


@pytest.mark.parametrize(
    ("names", "state", "given", "found"),
    [
        (_TWO, None, "a-1", "a-1"),
        (_TWO, None, "a-1.index", "a-1"),
        (_TWO, None, "a-1.meta", "a-1"),
        (_TWO, None, "a-1.data-00000-of-00001", "a-1"),
        (_TWO, _state("a-10"), "", "a-10"),
        (_TWO, _state("a-1"), "", "a-1"),
        (_TWO, _state("a-1"), "checkpoint", "a-1"),
        (_TWO, _state("./a-1"), "checkpoint", "a-1"),
        (_TWO[:3], None, "", "a-1"),
        (("variables/variables.index",), None, "", "variables/variables"),
        (("variables/variables.index",), None, "variables", "variables/variables"),
        # Format V1: one file.
        (("v1",), None, "v1", "v1"),
        (("v1", "v1.meta"), None, "v1.meta", "v1"),
        (("v1", "v1.meta"), None, "", "v1"),
        # A prefix with the name of the state file or of a folder.
        (("checkpoint.index", "a.index"), _state("a"), "checkpoint", "checkpoint"),
        (("m.index", "m/a.index"), None, "m", "m"),
    ],
)  # fmt: skip
def test_the_prefix(
    names: tuple[str, ...], state: str | None, given: str, found: str, tmp_path: Path
) -> None:
    _checkpoints(tmp_path, names, state)
    assert prefix(tmp_path / given) == tmp_path / found


def test_an_absolute_path_in_the_state(tmp_path: Path) -> None:
    _checkpoints(tmp_path, _TWO, _state(tmp_path / "a-10"))
    assert prefix(tmp_path) == tmp_path / "a-10"


@pytest.mark.parametrize(
    ("names", "state", "given", "message"),
    [
        (_TWO, None, "", "F: the folder has 2 checkpoints and no file 'checkpoint': pass one of F/a-1, F/a-10"),
        (("x.txt",), None, "", "F: the folder has no checkpoint: pass the prefix of PREFIX.index"),
        (_TWO, _state("b"), "", "F/checkpoint: it names 'b', which does not exist: pass one of F/a-1, F/a-10"),
        (_TWO, _state("../b"), "", "F/checkpoint: it names '../b', which is not in its folder: pass one of F/a-1"),
        (_TWO, _state("/b/a-1"), "checkpoint", "F/checkpoint: it names '/b/a-1', which is not in its folder"),
        (_TWO, "model_checkpoint_path: 1 { ", "", "F/checkpoint: line 1: "),
        (_TWO, "model_checkpoint_path: \"a\"\nnope: 1", "checkpoint", "F/checkpoint: line 2, column 1: CheckpointState has no field"),
        (_TWO, "model_checkpoint_path: \"\\377\"", "checkpoint", "F/checkpoint: byte "),
        (_TWO, "model_checkpoint_path: \"a\\000b\"", "checkpoint", "F/checkpoint: cannot be read: embedded null"),
        (_TWO, None, "a-2", "F/a-2: neither this file nor F/a-2.index exists; did you mean a-1?"),
        (_TWO, None, "a-2.meta", "F/a-2.meta: neither this file nor F/a-2.index exists; did you mean"),
        (_TWO, None, "none/a-1", "F/none/a-1: neither this file nor F/none/a-1.index exists"),
        (("a.meta",), None, "a.meta", "F/a.meta: F/a.index is missing: a checkpoint has PREFIX.index and all"),
        (("a.data-00000-of-00002",), None, "a.data-00000-of-00002", "F/a.index is missing"),
    ],
)  # fmt: skip
def test_no_checkpoint(
    names: tuple[str, ...], state: str | None, given: str, message: str, tmp_path: Path
) -> None:
    _checkpoints(tmp_path, names, state)
    with pytest.raises(InvalidInput) as raised:
        prefix(tmp_path / given)
    wanted = message.replace("F/", f"{tmp_path}/").replace("F:", f"{tmp_path}:")
    assert wanted in str(raised.value) and str(raised.value).startswith("checkpoint ")


def test_weights_of_keras(tmp_path: Path) -> None:
    (tmp_path / "w.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(InvalidInput, match=r"is an HDF5 file, .*\(load_weights\)"):
        prefix(tmp_path / "w.h5")


def test_a_large_state_and_a_link_to_another_folder(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    _checkpoints(folder, _TWO, _state("a-1") + "#" * (1 << 20))
    with pytest.raises(InvalidInput, match="has more than 1,048,576 bytes"):
        prefix(folder)
    _checkpoints(tmp_path / "other", _TWO)
    (folder / "inner").symlink_to(tmp_path / "other")
    (folder / "checkpoint").write_text(_state("inner/a-1"))
    with pytest.raises(InvalidInput, match="'inner/a-1', which is not in its folder"):
        prefix(folder)


def test_the_files_of_a_prefix(tmp_path: Path) -> None:
    _checkpoints(tmp_path, (*_TWO, "a-1x.index"), _state("a-1"))
    (tmp_path / "a-1").mkdir()
    found = [path.name for path in files(tmp_path / "a-1")]
    assert found == ["a-1.data-00000-of-00001", "a-1.index"]
