"""Tests of finding what changed between reports, and for which models."""

from size_reports import DOUBLE, FLOAT, OPS, RELU, report

from tfcarve.size.compare import CLASS, FILE, OP, PART, changes, summary


def _changes(old: object, new: object) -> list[tuple[str, str, str, int, tuple[str, ...]]]:
    return [(c.kind, c.name, c.how, c.bytes, c.models) for c in changes(old, new)]  # type: ignore[arg-type]


def test_nothing_changed() -> None:
    assert changes(report(), report()) == []


def test_added_class_is_named_with_its_model_and_no_other_class() -> None:
    found = _changes(report(), report(double=640))
    assert [t for t in found if t[0] in (OP, CLASS)] == [
        (CLASS, f"{DOUBLE} ({RELU})", "added", 640, ("b.pb",))
    ]
    assert (FILE, RELU, "grew", 640, ("a.pb", "b.pb")) in found


def test_removed_class() -> None:
    found = _changes(report(double=640), report())
    assert [t for t in found if t[0] == CLASS] == [
        (CLASS, f"{DOUBLE} ({RELU})", "removed", -640, ("b.pb",))
    ]


def test_added_op() -> None:
    found = _changes(report(), report(softmax=900))
    assert found[0] == (OP, "Softmax", "added", 900, ("b.pb",))
    assert (CLASS, "SoftmaxOp (kernels/softmax_op.cc)", "added", 900, ("b.pb",)) in found
    assert (FILE, "kernels/softmax_op.cc", "added", 900, ("b.pb",)) in found


def test_class_of_unchanged_classes_grew() -> None:
    found = _changes(report(double=640), report(double=650))
    assert [t for t in found if t[0] == CLASS] == [
        (CLASS, f"{DOUBLE} ({RELU})", "grew", 10, ("b.pb",))
    ]


def test_symbols_are_shown_with_their_class() -> None:
    (change,) = [c for c in changes(report(), report(double=640)) if c.kind == CLASS]
    assert change.symbols == (("ReluOp<CPUDevice, double>::Compute()", 640),)
    assert change.text().splitlines() == [
        f"class {DOUBLE} ({RELU}) added: +640 bytes, for b.pb",
        "          640  ReluOp<CPUDevice, double>::Compute()",
    ]


def test_summary_has_the_same_changes() -> None:
    old, new = report(), report(double=640, softmax=900)
    assert _changes(summary(old), new) == _changes(old, new)
    assert len(summary(new).entries) < len(new.entries) + 1
    assert not any(e.symbol for e in summary(new).entries)
    assert {e.file for e in summary(new).entries} == {"", RELU, OPS, "kernels/softmax_op.cc"}
    assert summary(new).by(lambda e: e.clazz)[FLOAT] == 700
    assert {c.kind for c in changes(old, new)} == {OP, CLASS, FILE, PART}
