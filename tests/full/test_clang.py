"""The app built by clang for Linux: it takes TensorFlow's headers precompiled in another way than g++."""

from demo import nested
from demo.inception import APP

_CLANG = "--repo_env=CC=clang-19"
_LIBRARY = "//:tensorflow"


def test_the_app_runs() -> None:
    with nested.opened(nested.source_tree() / APP, "clang") as workspace:
        build = workspace.build([_LIBRARY], [_CLANG, "--output_groups=unstripped"])
        (library,) = build.files(_LIBRARY, "unstripped")
        tested = workspace.bazel(["test", _CLANG, "//:app_test"])
        assert tested.returncode == 0, tested.stdout
        assert b"clang version 19" in library.read_bytes()
