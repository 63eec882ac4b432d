"""Tests of marginal sizes: they equal the sizes that builds without the target save."""

from pathlib import Path

import mini_library
import pytest
from mini_library import DOUBLE, FLOAT, OPS, RELU, TABLE, Built
from msgspec import structs

from tfcarve.emit import hot
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size.link_line import Command
from tfcarve.size.relink import Relinker
from tfcarve.size.removal import Target, parse_target, without


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return mini_library.build(
        tmp_path_factory.mktemp("whole") / "x", mini_library.selection(double=True)
    )


def _relinker(built: Built, *, recompile: bool = True) -> Relinker:
    return Relinker(built.line(), built.selection, known.release(), recompile=recompile)


def test_relinking_everything_gives_the_same_size(built: Built) -> None:
    assert _relinker(built).whole == built.report().sizes


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        (f"class:{DOUBLE}", mini_library.selection()),
        ("dtype:float64", mini_library.selection()),
        ("op:Table", mini_library.selection(double=True, table=False)),
        ("model:b.pb", mini_library.selection(table=False)),
    ],
)
def test_marginal_size_is_what_a_build_without_it_saves(
    built: Built, text: str, selection: Selection, tmp_path: Path
) -> None:
    marginal = _relinker(built).marginal_size(parse_target(text))
    less = mini_library.build(tmp_path / "less", selection).report().sizes
    assert marginal.exact
    assert marginal.saved == {m: size - less[m] for m, size in built.report().sizes.items()}
    assert marginal.saved["stripped"] > 0


def test_without_compiling_the_result_is_a_lower_bound(built: Built) -> None:
    bound = _relinker(built, recompile=False).marginal_size(parse_target("model:b.pb"))
    exact = _relinker(built).marginal_size(parse_target("model:b.pb"))
    assert (bound.dropped, bound.kept) == ((TABLE,), (RELU, OPS))
    assert not bound.exact
    assert 20000 < bound.saved["stripped"] <= exact.saved["stripped"]


def test_one_of_two_classes_requires_recompiling(built: Built) -> None:
    bound = _relinker(built, recompile=False).marginal_size(parse_target(f"class:{FLOAT}"))
    assert bound.saved == {"stripped": 0, "text": 0, "gzip": 0}
    assert _relinker(built).marginal_size(parse_target(f"class:{FLOAT}")).recompiled == (RELU,)


def test_hot_units_are_compiled_for_speed(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    line = structs.replace(built.line(), hot_compile=Command(("false",), "", ""))
    wanted = parse_target(f"class:{FLOAT}")
    Relinker(line, built.selection, known.release(), recompile=True).marginal_size(wanted)
    monkeypatch.setattr(hot, "groups", lambda _: (hot.Group("relu", "", (RELU,)),))
    with pytest.raises(InvalidInput, match="compiling kernels__relu_op.cc failed"):
        Relinker(line, built.selection, known.release(), recompile=True).marginal_size(wanted)


def test_failed_link(built: Built, tmp_path: Path) -> None:
    line = built.line()
    (tmp_path / "libcore.a").write_bytes(b"")
    broken = Relinker(line, built.selection, known.release(), recompile=True)
    with pytest.raises(InvalidInput, match=r"the link failed:\n"):
        broken.sizes({"x": b"no object"})


def test_selection_of_another_library(built: Built) -> None:
    smaller = mini_library.selection(table=False)
    Relinker(built.line(), smaller, known.release(), recompile=False)
    kernels = [*built.selection.kernels]
    other = structs.replace(
        built.selection,
        files=(*built.selection.files, "kernels/other.cc"),
        kernels=(*kernels, structs.replace(kernels[0], file="kernels/other.cc")),
    )
    with pytest.raises(InvalidInput, match="no object of the unit kernels__other"):
        Relinker(built.line(), other, known.release(), recompile=False)


def test_removed_model_takes_what_only_it_needs() -> None:
    whole = mini_library.selection(double=True)
    reduced = without(whole, Target("model", "b.pb"))
    assert {k.clazz for k in reduced.kernels} == {FLOAT}
    assert reduced.files == (RELU, OPS)
    assert [m.path for m in reduced.models] == ["a.pb"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("op:Rellu", r"'op:Rellu' is not in the selection: did you mean Relu\?"),
        ("model:c.pb", r"did you mean .*\.pb"),
        ("dtype:q", "expected one of float32, float64"),
        ("kernel:Relu", "op:NAME, class:NAME, dtype:NAME, model:NAME"),
        ("op:", "expected one of"),
    ],
)
def test_unknown_target(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        without(mini_library.selection(double=True), parse_target(text))
