"""The log of kernel registrations, and what the index predicts."""

import indexes
import selections

from e2e.builds import kernel_log

_RELU = indexes.KERNELS + "relu_op.cc"
_LOG = f"""\
2026-01-01 00:00:00.0: I external/{_RELU}:40] Kernel found: Relu external/a/{_RELU}

I x.cc:1] Kernel found: Relu {_RELU}
I x.cc:1] Kernel found: AppScale app_scale.cc
usage: Kernel found:
"""


def test_log() -> None:
    assert kernel_log.logged(_LOG) == {("Relu", _RELU): 2}
    assert kernel_log.logged("") == {}


def test_expected_are_selected_classes_and_system_kernels() -> None:
    arg = indexes.KERNELS + "function_ops.cc"
    selected = selections.selection(
        kernels=[("Relu", "ReluOp<float>", _RELU)], system=[("_Arg", "ArgOp", arg)]
    )
    expected = kernel_log.expected(selected, indexes.INDEX.registrations)
    assert expected == {("Relu", _RELU): 1, ("_Arg", arg): 1}


def test_each_registration_of_a_class_counts() -> None:
    enter = indexes.KERNELS + "enter_op.cc"
    selected = selections.selection(kernels=[("Enter", "EnterOp", enter)])
    assert kernel_log.expected(selected, indexes.INDEX.registrations) == {("Enter", enter): 2}
