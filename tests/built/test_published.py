"""Publishing outputs of a build, and finding them."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import published


def _outputs(root: Path) -> dict[tuple[str, str], tuple[Path, ...]]:
    """Two output groups of a target, which share a file, in two folders with the same file names."""
    files = [
        root / "bazel-out/k8-opt/bin" / path for path in ("a/lib/one.so", "a/lib/arm/one.so", "a/x")
    ]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(number))
    return {("//a:lib", "default"): (files[0], files[2]), ("//a:lib", "arm"): tuple(files[1:])}


@pytest.fixture(name="found")
def _found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> published.Published:
    folder = tmp_path / "_main/tests/built/some/group"
    folder.mkdir(parents=True)
    model = tmp_path / "m.pb"
    model.write_text("model")
    published.publish(_outputs(tmp_path), {"zoo/m.pb": model}, folder)
    monkeypatch.setenv("RUNFILES_DIR", str(tmp_path))
    return published.of("group")


def test_files_have_their_paths_in_bazel_bin(found: published.Published) -> None:
    (one, x) = found.files("//a:lib")
    assert (one.read_text(), x.read_text()) == ("0", "2")
    assert one.relative_to(found.folder) == Path("a/lib/one.so")
    assert found.named("//a:lib", "arm")["one.so"].read_text() == "1"
    assert found.named("//a:lib").keys() == {"one.so", "x"}
    assert (found.models / "zoo/m.pb").read_text() == "model"


def test_models_are_copies(found: published.Published, tmp_path: Path) -> None:
    """Bazel changes the mode of published files, which must not change that of the app's own files."""
    assert not (found.models / "zoo/m.pb").samefile(tmp_path / "m.pb")
    output = tmp_path / "bazel-out/k8-opt/bin/a/x"
    assert found.files("//a:lib")[1].samefile(output)


def test_removed_outputs_stay_published(found: published.Published, tmp_path: Path) -> None:
    """A later build in the nested workspace may replace its outputs."""
    (tmp_path / "bazel-out/k8-opt/bin/a/x").unlink()
    assert found.files("//a:lib")[1].read_text() == "2"


def test_unknown_target_and_group(found: published.Published) -> None:
    with pytest.raises(KeyError):
        found.files("//a:other")
    with pytest.raises(LookupError, match="other: add the target of //tests/built"):
        published.of("other")
