"""Tests of telling what changed, and for whom."""

from size_reports import DOUBLE, FLOAT, OPS, RELU, report

from tfcarve.size.compare import CLASS, FILE, OP, PART, changes, summary


def _told(old: object, new: object) -> list[tuple[str, str, str, int, tuple[str, ...]]]:
    return [(c.kind, c.name, c.how, c.bytes, c.models) for c in changes(old, new)]  # type: ignore[arg-type]


def test_nothing_changed() -> None:
    assert changes(report(), report()) == []


def test_class_that_came_in_is_named_with_its_model_and_no_other_class() -> None:
    told = _told(report(), report(double=640))
    assert [t for t in told if t[0] in (OP, CLASS)] == [
        (CLASS, f"{DOUBLE} ({RELU})", "came in", 640, ("b.pb",))
    ]
    assert (FILE, RELU, "grew", 640, ("a.pb", "b.pb")) in told


def test_class_that_went_out() -> None:
    told = _told(report(double=640), report())
    assert [t for t in told if t[0] == CLASS] == [
        (CLASS, f"{DOUBLE} ({RELU})", "went out", -640, ("b.pb",))
    ]


def test_op_that_came_in() -> None:
    told = _told(report(), report(softmax=900))
    assert told[0] == (OP, "Softmax", "came in", 900, ("b.pb",))
    assert (CLASS, "SoftmaxOp (kernels/softmax_op.cc)", "came in", 900, ("b.pb",)) in told
    assert (FILE, "kernels/softmax_op.cc", "came in", 900, ("b.pb",)) in told


def test_class_of_unchanged_classes_grew() -> None:
    told = _told(report(double=640), report(double=650))
    assert [t for t in told if t[0] == CLASS] == [
        (CLASS, f"{DOUBLE} ({RELU})", "grew", 10, ("b.pb",))
    ]


def test_symbols_are_shown_with_their_class() -> None:
    (change,) = [c for c in changes(report(), report(double=640)) if c.kind == CLASS]
    assert change.symbols == (("ReluOp<CPUDevice, double>::Compute()", 640),)
    assert change.text().splitlines() == [
        f"class {DOUBLE} ({RELU}) came in: +640 bytes, for b.pb",
        "          640  ReluOp<CPUDevice, double>::Compute()",
    ]


def test_summary_tells_the_same_changes() -> None:
    old, new = report(), report(double=640, softmax=900)
    assert _told(summary(old), new) == _told(old, new)
    assert len(summary(new).entries) < len(new.entries) + 1
    assert not any(e.symbol for e in summary(new).entries)
    assert {e.file for e in summary(new).entries} == {"", RELU, OPS, "kernels/softmax_op.cc"}
    assert summary(new).by(lambda e: e.clazz)[FLOAT] == 700
    assert {c.kind for c in changes(old, new)} == {OP, CLASS, FILE, PART}
