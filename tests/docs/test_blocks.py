"""Code and commands on the hand-written pages: code is part of a source file, commands exist or are run by a test."""

from __future__ import annotations

import shlex
from functools import cache

import pytest
import yaml

from docs.blocks import Block, blocks, contains, lines
from docs.tree import ROOT, tracked
from tfcarve.cli import parser

_PAGES = ["docs/get-started.md", *(n for n in tracked() if n.startswith("docs/how-to/"))]
_CODE = {
    "c",
    "cmake",
    "cpp",
    "groovy",
    "ini",
    "kotlin",
    "make",
    "python",
    "starlark",
    "swift",
    "toml",
}
_FOLDERS = ("rules/", "tests/", "third_party/", "tools/")
# Commands other than tfcarve's, and the file of the test or the page that runs them.
_RUN_BY = {
    "../../../bazelw build //:release": ("tests/e2e/builds/built_libraries.py", '"//:release"'),
    "../../../bazelw build //:tensorflow --output_groups=programs": (
        "tests/built/groups.py",
        '"//:tensorflow": (*_PROGRAMS, ',
    ),
    "../../../bazelw test //:app_test": ("tests/e2e/test_app.py", '"//:app_test"'),
    "./bazelw run //tools/new_release -- --tree DIR --base 2.16 --base-tree BASE_DIR --sha256 SHA256": (
        "tests/new_release/test_new_release.py",
        'main(["--base", _BASE, *options])',
    ),
    'bazel run //:size.comment -- -o "$PWD/comment.md"': (
        "tests/tools/size/test_docs.py",
        "bazel run //:size.comment",
    ),
    'bazel test --disk_cache="$HOME/.cache/bazel-disk" //...': ("tests/e2e/test_app.py", '"test"'),
    "g++ -O2 -shared -fPIC app_scale.cc -o app_scale.so $(python -c 'import tensorflow as tf; "
    "print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')": (
        "tests/tools/prepare/freeze/test_op_library.py",
        "custom-op.md",
    ),
    'gh pr comment "${{ github.event.number }}" --body-file comment.md': ("docs/size.md", "gh pr"),
    "sudo apt-get install -y g++-aarch64-linux-gnu lld qemu-user-static": (
        "tools/bootstrap/system_packages.py",
        '"g++-aarch64-linux-gnu"',
    ),
}


@cache
def _sources() -> list[list[str]]:
    names = [
        n for n in tracked() if n.startswith(_FOLDERS) and not n.endswith((".b64", ".pb", ".md"))
    ]
    texts = [(ROOT / name).read_bytes().decode("utf-8", "replace") for name in names]
    return [lines(text) for text in texts]


def _check_command(command: str) -> None:
    if command.startswith("tfcarve "):
        parser().parse_args(shlex.split(command)[1:])
        return
    assert command in _RUN_BY, f"no test runs: {command}"
    file, text = _RUN_BY[command]
    assert text in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {text}"


def _workflow_commands(text: str) -> list[str]:
    (job,) = yaml.safe_load(text)["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


def _check(block: Block) -> None:
    if block.kind in _CODE:
        assert any(contains(source, lines(block.text)) for source in _sources()), (
            f"not part of any file in {', '.join(_FOLDERS)}:\n{block.text}"
        )
    elif block.kind in ("bash", "sh"):
        for command in lines(block.text):
            _check_command(command)
    elif block.kind == "yaml":
        for command in _workflow_commands(block.text):
            _check_command(command)
    else:
        pytest.fail(f"a block of a kind that nothing checks: {block.kind}")


@pytest.mark.parametrize("page", _PAGES)
def test_blocks(page: str) -> None:
    found = blocks((ROOT / page).read_text(encoding="utf-8"))
    if page == "docs/get-started.md":
        # test_get_started.py runs its sh blocks.
        found = [block for block in found if block.kind not in ("sh", "text")]
    for block in found:
        _check(block)


@pytest.mark.parametrize(
    "block",
    [
        Block("starlark", "tf_mobile_library(\n    nonsense = 1,\n)\n"),
        Block("bash", "rm -rf everything\n"),
        Block("sh", "tfcarve select\n"),
        Block("cobol", "STOP RUN.\n"),
    ],
)
def test_wrong_blocks_are_found(block: Block) -> None:
    with pytest.raises((AssertionError, SystemExit, pytest.fail.Exception)):
        _check(block)


def test_a_block_in_a_list() -> None:
    assert blocks("1. a\n\n    ```sh\n    x\n    ```\n") == [Block("sh", "x\n")]
