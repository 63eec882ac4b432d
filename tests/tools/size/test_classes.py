"""Tests of finding the kernel class of a symbol."""

import pytest

from tfcarve.size.classes import class_of, normal

_FLOAT = "ReluOp<CPUDevice, float>"
_LONG = "ReluOp<CPUDevice, int64_t>"
_GRAD = "ReluGradOp<CPUDevice, float>"
_ADD = "BinaryOp<CPUDevice, functor::add<float>>"
_SUB = "BinaryOp<CPUDevice, functor::sub<float>>"
_POOL = "Eigen::ThreadPoolDevice"


@pytest.mark.parametrize(
    ("symbol", "classes", "expected"),
    [
        (f"tensorflow::ReluOp<{_POOL}, float>::Compute(int)", (_FLOAT, _LONG), _FLOAT),
        (f"vtable for tensorflow::ReluOp<{_POOL}, long>", (_FLOAT, _LONG), _LONG),
        (f"tensorflow::ReluOp<{_POOL}, float>::~ReluOp()", (_FLOAT, _GRAD), _FLOAT),
        (f"tensorflow::ReluGradOp<{_POOL}, float>::Compute()", (_FLOAT, _GRAD), _GRAD),
        (
            f"tensorflow::BinaryOp<{_POOL}, tensorflow::functor::add<float>>::Compute()",
            (_ADD, _SUB),
            _ADD,
        ),
        # Default template arguments.
        ("MatMulOp<CPUDevice, float, false>::Run()", ("MatMulOp<CPUDevice, float>", "X"), "MatMulOp<CPUDevice, float>"),
        ("tensorflow::HostConstantOp::Compute()", ("ConstantOp", "HostConstantOp"), "HostConstantOp"),
        ("tensorflow::ConstantOp::Compute()", ("ConstantOp", "HostConstantOp"), "ConstantOp"),
        # A functor belongs to the class whose template argument it has, if there is only one.
        ("Eigen::internal::Evaluator<long>::run()", (_FLOAT, _LONG), _LONG),
        ("Eigen::internal::Evaluator<float>::run()", (_FLOAT, _GRAD), ""),
        ("tensorflow::(anonymous namespace)::Helper()", (_FLOAT, _LONG), ""),
        ("anything at all", (_FLOAT,), _FLOAT),
        ("anything at all", (), ""),
    ],
)  # fmt: skip
def test_class_of(symbol: str, classes: tuple[str, ...], expected: str) -> None:
    assert class_of(symbol, classes) == expected


def test_types_have_one_spelling() -> None:
    assert normal("A<CPUDevice, uint8>") == normal("n::A<Eigen::ThreadPoolDevice, unsigned char>")
    assert normal("A<int64>") == normal("A<long long>") == normal("A<long>")
    assert normal("A<int32>") != normal("A<uint32>")
