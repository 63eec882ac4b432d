"""Tests of benchmark tasks and their command lines."""

from pathlib import Path

import pytest
import summaries

from tfcarve.benchmark import task
from tfcarve.benchmark.task import Task
from tfcarve.errors import InvalidInput
from tfcarve.models.summary import Summary, Tensor

_MODEL = Path("m.pb")


def _summary(*inputs: Tensor, outputs: tuple[Tensor, ...] = ()) -> Summary:
    return summaries.of(inputs, outputs)


def _input(name: str, dtype: str, shape: tuple[int, ...] | None) -> Tensor:
    return Tensor(name, "Placeholder", dtype, shape)


def test_command_line() -> None:
    requested = Task(
        model=Path("/m.pb"),
        inputs=(("x", Path("/x.npy")),),
        random_inputs=(("y", "float32:1"),),
        outputs=("z", "-odd"),
        threads=2,
        warmup=0,
        runs=7,
        seconds=None,
        traced_runs=3,
    )
    words = "/m.pb --input=x=/x.npy --input-random=y=float32:1 --output=z --output=-odd"
    numbers = "--threads=2 --warmup=0 --runs=7 --traced-runs=3"
    assert task.arguments(requested) == f"{words} {numbers}".split()


def test_seconds_instead_of_runs() -> None:
    requested = Task(_MODEL, (), (), ("z",), 1, 1, 20, 5, 0)
    words = task.arguments(requested)
    assert "--seconds=5" in words
    assert "--runs=20" not in words


def test_random_values_for_other_inputs() -> None:
    found = _summary(
        _input("x", "float32", (-1, 8, 8, 3)),
        _input("y", "int32", ()),
        _input("z", "string", (1,)),
        Tensor("w", "PlaceholderWithDefault", "string", None),
    )
    assert task.other_inputs(found, ["z:0"], _MODEL) == (
        ("x", "float32:1x8x8x3"),
        ("y", "int32:"),
    )


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (_input("x", "string", (1,)), "m.pb: input 'x' has type string: pass --input x=FILE.npy"),
        (_input("x", "", (1,)), "m.pb: input 'x' has type unknown: "),
        (_input("x", "float32", None), "m.pb: input 'x' has no known shape: "),
        (_input("x", "string", ()), "m.pb: input 'x' has type string: "),
    ],
)
def test_inputs_that_need_a_value(tensor: Tensor, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        task.other_inputs(_summary(tensor), [], _MODEL)
    assert str(caught.value).startswith(message)
    assert task.other_inputs(_summary(tensor), ["x"], _MODEL) == ()


def test_outputs() -> None:
    found = _summary(outputs=(_input("y", "", None), _input("z", "", None)))
    assert task.outputs(found, _MODEL) == ("y", "z")
    with pytest.raises(
        InvalidInput, match=r"^m\.pb: every node is an input of another node: pass --output"
    ):
        task.outputs(_summary(), _MODEL)
