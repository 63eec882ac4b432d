"""Tests of indexing a changed tree: only what changed is read, and the result is the same as without a cache."""

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import trees
from msgspec.structs import replace
from small_release import FILES, small_release

from tfcarve.registry import index, memo, resolve, scan, tree, values
from tfcarve.registry.records import RawGradient, Records
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.registry.tree import Tree
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import Release

_RELEASE = small_release()
_K = "tensorflow/core/kernels"
_TWICE = f"{_K}/twice_op.cc"
_TREE = {
    **trees.FILES,
    "tensorflow/core/BUILD": 'filegroup(name = "mobile_srcs", srcs = ["framework/types.cc"])',
    f"{_K}/BUILD": """
tf_kernel_library(name = "twice", srcs = ["twice_op.cc"], deps = [":help"])
cc_library(name = "help", srcs = ["help.cc", "more_help.cc"], hdrs = ["help.h"])
""",
    f"{_K}/help.h": "void Help();\n",
    f"{_K}/help.cc": f'#include "{_K}/help.h"\nvoid Help() {{}}\n',
    f"{_K}/more_help.cc": "void MoreHelp() {}\n",
    f"{_K}/names.cc": 'const char* const kName = "Named";\n',
    f"{_K}/named_op.cc": """\
#include "tensorflow/core/framework/op_kernel.h"
REGISTER_KERNEL_BUILDER(Name(kName).Device(DEVICE_CPU), NamedOp);
""",
}


def _index(root: Path, cache: Path, release: Release = _RELEASE) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        return scan.make_index(root, release, Settings((), find_compiler(os.environ)))


def _edited(path: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new))

    return edit


_INCLUDE_HELP = _edited(_TWICE, "namespace tensorflow {", f'#include "{_K}/help.h"\n')

# The edit, whether it changes registrations or helpers, and the sources that are preprocessed again.
_EDITS: dict[str, tuple[Callable[[Path], object], bool, list[str]]] = {
    "an empty line": (_edited(_TWICE, "TF_CALL_int32", "\nTF_CALL_int32"), True, [_TWICE]),
    "another class": (_edited(_TWICE, "TwiceOp<GPU", "ThriceOp<GPU"), True, [_TWICE]),
    "an include of a helper's header": (_INCLUDE_HELP, True, [_TWICE]),
    "a macro in a header": (
        _edited("tensorflow/core/framework/op_kernel.h", "m(float)", "m(double)"),
        True,
        [f"{_K}/named_op.cc", f"{_K}/no_op.cc", _TWICE],
    ),
    "a header's text": (
        _edited("tensorflow/core/framework/op_kernel.h", "no preprocessor", "still none"),
        False,
        [],
    ),
    "the sets of types": (
        _edited("tensorflow/core/framework/types.h", "ToSet(DT_INT32) |", "ToSet(DT_HALF) |"),
        True,
        [],
    ),
    "a constant in a file that registers nothing": (
        _edited(f"{_K}/names.cc", "Named", "Renamed"),
        True,
        [],
    ),
    "a deleted file": (lambda root: (root / f"{_K}/no_op.cc").unlink(), True, []),
    "a new file": (
        lambda root: (root / f"{_K}/new_op.cc").write_text('REGISTER_OP("New");\n'),
        True,
        [f"{_K}/new_op.cc"],
    ),
    "a new header": (
        lambda root: (root / "tensorflow/core/framework/made_by_the_build.pb.h").write_text(
            "#define int32 int64\n"
        ),
        True,
        [f"{_K}/named_op.cc", f"{_K}/no_op.cc", _TWICE],
    ),
}


@pytest.mark.parametrize("name", _EDITS)
def test_same_as_without_cache(name: str, tmp_path: Path, preprocessed: list[str]) -> None:
    edit, changes, scanned = _EDITS[name]
    root = trees.write(tmp_path / "tree", _TREE)
    first = index.parse(_index(root, tmp_path / "cache"), "index")
    preprocessed.clear()
    edit(root)
    again = _index(root, tmp_path / "cache")
    assert sorted(preprocessed) == scanned
    assert again == _index(root, tmp_path / "other")
    then = index.parse(again, "index")
    same = (first.registrations, first.ops, first.helpers) == (
        then.registrations,
        then.ops,
        then.helpers,
    )
    assert same != changes


_CALL = "REGISTER_KERNEL_BUILDER(Name"
_HELP_EDITS = {
    "it calls another": (_edited(_TWICE, _CALL, f"int x = MoreHelp();\n{_CALL}"), ["help.cc", "more_help.cc"]),
    "its helper calls another": (_edited(f"{_K}/help.cc", "{}", "{ MoreHelp(); }"), ["help.cc", "more_help.cc"]),
    "another file defines it": (_edited(f"{_K}/more_help.cc", "MoreHelp", "Help"), ["help.cc", "more_help.cc"]),
    "other targets": (_edited(f"{_K}/BUILD", '"help.cc", ', ""), []),
    "it is in the core": (_edited("tensorflow/core/BUILD", '"fr', '"kernels/help.cc", "fr'), []),
}  # fmt: skip


@pytest.mark.parametrize("name", _HELP_EDITS)
def test_helpers_same_as_without_cache(name: str, tmp_path: Path) -> None:
    def helpers(data: bytes) -> list[str]:
        found = index.parse(data, "index").helpers.get(_TWICE, ())
        return [path.removeprefix(f"{_K}/") for path in found]

    edit, expected = _HELP_EDITS[name]
    root = trees.write(tmp_path / "tree", _TREE)
    _INCLUDE_HELP(root)
    _edited(_TWICE, _CALL, f"int y = Help();\n{_CALL}")(root)
    assert helpers(_index(root, tmp_path / "cache")) == ["help.cc"]
    edit(root)
    again = _index(root, tmp_path / "cache")
    assert helpers(again) == expected
    assert again == _index(root, tmp_path / "other")


def test_a_tree_without_the_core_of_its_release(tmp_path: Path) -> None:
    """An index without helpers is only for a tree of a release that tfcarve does not build."""
    root = trees.write(tmp_path / "tree", {**_TREE, **FILES, "tensorflow/core/BUILD": ""})
    assert index.parse(_index(root, tmp_path / "cache"), "index").helpers == {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "check_paths", lambda *_, **__: None)
        overrides = replace(_RELEASE.overrides, added=())
        built = dataclasses.replace(_RELEASE, name="9.8", overrides=overrides)
        with pytest.raises(ReleaseMismatch, match="mobile_srcs has no files"):
            _index(root, tmp_path / "other", built)


def test_unchanged_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = trees.write(tmp_path / "tree", _TREE)
    _index(root, tmp_path / "cache")
    read: list[str] = []
    real = Tree.read

    def spy(self: Tree, path: str) -> str:
        read.append(path)
        return real(self, path)

    monkeypatch.setattr(Tree, "read", spy)
    _edited(_TWICE, "TwiceOp<GPU", "ThriceOp<GPU")(root)
    _index(root, tmp_path / "cache")
    framework = "tensorflow/core/framework"
    assert set(read) == {
        _TWICE,
        # The preprocessor also reads what it includes, and the sets of types.
        f"{framework}/op_kernel.h", f"{framework}/types.h", f"{framework}/types.cc",
    }  # fmt: skip


def test_a_copy_of_a_tree_uses_the_same_cache(tmp_path: Path, preprocessed: list[str]) -> None:
    """Nothing depends on the location of a tree or its time stamps."""
    _index(trees.write(tmp_path / "tree", _TREE), tmp_path / "cache")
    copy = trees.write(tmp_path / "copy", _TREE)
    preprocessed.clear()
    _edited(_TWICE, "TwiceOp<GPU", "ThriceOp<GPU")(copy)
    _index(copy, tmp_path / "cache")
    assert preprocessed == [_TWICE]


def test_gradients_on_one_line_are_in_order() -> None:
    raw = tuple(RawGradient("a.cc", 1, '"A"', f"Grad{number:02}") for number in range(40))
    _, _, gradients, _ = resolve.resolve([Records(gradients=raw)], values.Resolver({}), {})
    assert [g.function for g in gradients] == [r.function for r in raw]


def test_memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def never() -> int:
        raise AssertionError("computed again")

    first = memo.Memo("name")
    assert first.get("kind", "a", "key", lambda: 1) == 1
    assert first.get("kind", "b", "key", lambda: 2) == 2
    first.save()
    second = memo.Memo("name")
    assert second.get("kind", "a", "key", never) == 1
    assert second.get("kind", "a", "other key", lambda: 3) == 3
    assert second.get("other kind", "a", "key", lambda: 4) == 4
    second.save()
    third = memo.Memo("name")
    assert third.get("kind", "b", "key", lambda: 5) == 5  # not requested by the run before
    assert memo.Memo().get("kind", "a", "other key", lambda: 6) == 6


def test_cache_that_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, folder = trees.write(tmp_path / "tree", _TREE), tmp_path / "cache"
    monkeypatch.setenv("TFCARVE_INDEX_CACHE", "off")
    first = _index(root, folder)
    assert not folder.exists()
    monkeypatch.delenv("TFCARVE_INDEX_CACHE")
    assert _index(root, folder) == first
    assert list(folder.rglob("*.json"))
