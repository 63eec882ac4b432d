"""Tests of custom ops that are registered twice."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
import trees

from tfcarve.errors import InvalidInput
from tfcarve.registry import index, scan
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known

_HEADER = '#include "tensorflow/core/framework/op_kernel.h"\n'
_KERNEL = 'REGISTER_KERNEL_BUILDER(Name("{op}").Device(DEVICE_CPU){more}, {clazz});\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _op(name: str) -> str:
    return f'REGISTER_OP("{name}").Input("x: T").Attr("T: type");\n'


def _kernel(clazz: str, more: str = "", op: str = "Twice") -> str:
    return _KERNEL.format(op=op, more=more, clazz=clazz)


def _settings() -> Settings:
    return Settings((), find_compiler(os.environ))


def _whole(tree: Path, sources: Iterable[Path]) -> None:
    scan.make_index(tree, known.release(), _settings(), sources)


def _added(tree: Path, sources: Iterable[Path]) -> None:
    built = index.parse(scan.make_index(tree, known.release(), _settings()), "index")
    scan.with_custom_ops(built, tree, known.release(), _settings(), sources)


_METHODS = pytest.mark.parametrize("method", [_whole, _added])


def _sources(folder: Path, texts: Sequence[str]) -> list[Path]:
    files = {f"{number}.cc": _HEADER + text for number, text in enumerate(texts)}
    trees.write(folder / "app", files)
    return [folder / "app" / name for name in files]


@_METHODS
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            [_op("Twice")],
            r"app/0\.cc:2: defines the op Twice, which tensorflow/core/ops/some_ops\.cc:3 defines already: choose",
        ),
        (
            [_kernel("Mine", '.TypeConstraint<float>("T")')],
            r"app/0\.cc:2: Mine is a second CPU kernel of Twice for T=float32: the first is "
            r"TwiceOp<CPUDevice, float> in tensorflow/core/kernels/twice_op\.cc:7: add",
        ),
        ([_kernel("Mine")], "Mine is a second CPU kernel of Twice: the first is TwiceOp"),
        (
            [_op("A"), _op("A")],
            r"app/1\.cc:2: defines the op A, which .*app/0\.cc:2 defines already",
        ),
        (
            [_op("A") + _kernel("One", op="A"), _kernel("Two", op="A")],
            r"Two is a second CPU kernel of A: the first is One in .*app/0\.cc:3",
        ),
        (
            [_op("A") + _kernel("One", op="A") + _kernel("Two", op="A")],
            r"Two is a second CPU kernel of A: the first is One in .*app/0\.cc:3",
        ),
    ],
)
def test_duplicates(
    tmp_path: Path, method: Callable[[Path, Iterable[Path]], None], texts: list[str], message: str
) -> None:
    tree = trees.write(tmp_path / "tree")
    with pytest.raises(InvalidInput, match="registered twice:\n.*" + message):
        method(tree, _sources(tmp_path, texts))


@_METHODS
@pytest.mark.parametrize(
    "text",
    [
        _op("Thrice") + _kernel("Mine", op="Thrice"),
        _kernel("Mine", '.TypeConstraint<double>("T")'),
        _kernel("Mine", '.Label("mine")'),
        _kernel("Mine", ".Priority(1)"),
        _kernel("Mine").replace("DEVICE_CPU", "DEVICE_DEFAULT"),
    ],
)
def test_no_duplicates(
    tmp_path: Path, method: Callable[[Path, Iterable[Path]], None], text: str
) -> None:
    method(trees.write(tmp_path / "tree"), _sources(tmp_path, [text]))


def test_all_duplicates_are_listed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        _whole(trees.write(tmp_path / "tree"), _sources(tmp_path, [_op("Twice") + _kernel("Mine")]))
    assert len(str(refused.value).split("\n")) == 3
