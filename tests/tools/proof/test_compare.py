"""Tests of what the comparison tells of kernels that are missing."""

from selections import selection

from tfcarve.proof.compare import prove
from tfcarve.proof.table import KernelRecord, OpRecord, Table

_FILE = "k/a.cc"
_NONE = Table(frozenset(), frozenset(), frozenset())


def _hints(asked: list[str], there: list[tuple[str, str]]) -> list[str]:
    made = selection([("Add", clazz, _FILE) for clazz in asked], [("Add", _FILE)])
    kernels = frozenset(KernelRecord(op, clazz, False) for op, clazz in there)
    table = Table(frozenset([_FILE]), frozenset([OpRecord("Add", False)]), kernels)
    return [p.hint for p in prove(made, table, _NONE).problems if "no compiled unit" in p.what]


def test_the_nearest_class_of_the_op() -> None:
    there = [("Add", "AddOp<float>"), ("Add", "Other"), ("Sub", "AddOp<half >")]
    assert _hints(["AddOp<half>"], there) == [f"in {_FILE}: the nearest class is 'AddOp<float>'"]
    unknown = [*there, ("", "AddOp<half >>")]
    assert _hints(["AddOp<half>"], unknown) == [f"in {_FILE}: the nearest class is 'AddOp<half >>'"]
    assert _hints(["AddOp"], [("Sub", "AddOp<half>")]) == [
        f"in {_FILE}: no class of this op is in the library"
    ]


def test_many_that_are_missing() -> None:
    names = [f"AddOp<{number}>" for number in range(2000)]
    hints = _hints([f"{name}x" for name in names], [("Add", name) for name in names])
    assert sum("the nearest class is" in hint for hint in hints) == 100
    assert sum("2000 other classes of this op are" in hint for hint in hints) == 1900
