"""Tests of the hints for missing kernels."""

from selections import selection

from tfcarve.proof.compare import prove
from tfcarve.proof.table import KernelRecord, OpRecord, Table

_FILE = "k/a.cc"


def _hints(selected: list[str], compiled: list[tuple[str, str]]) -> list[str]:
    wanted = selection([("Add", clazz, _FILE) for clazz in selected], [("Add", _FILE)])
    kernels = frozenset(KernelRecord(op, clazz, False) for op, clazz in compiled)
    table = Table(frozenset([_FILE]), frozenset([OpRecord("Add", False)]), kernels)
    problems = prove("lib", wanted, table, Table()).problems
    return [p.hint for p in problems if "in no compiled unit" in p.what]


def test_the_nearest_class_of_the_op() -> None:
    compiled = [("Add", "AddOp<float>"), ("Add", "Other"), ("Sub", "AddOp<half >")]
    assert _hints(["AddOp<half>"], compiled) == [f"in {_FILE}: the nearest class is 'AddOp<float>'"]
    unknown = [*compiled, ("", "AddOp<half >>")]
    assert _hints(["AddOp<half>"], unknown) == [f"in {_FILE}: the nearest class is 'AddOp<half >>'"]
    assert _hints(["AddOp"], [("Sub", "AddOp<half>")]) == [
        f"in {_FILE}: no class of this op is in the library"
    ]


def test_many_missing_kernels() -> None:
    names = [f"AddOp<{number}>" for number in range(300)]
    hints = _hints([f"{name}x" for name in names], [("Add", name) for name in names])
    assert sum("the nearest class is" in hint for hint in hints) == 100
    assert sum("300 other classes of this op are" in hint for hint in hints) == 200
