"""Tests of registrations through the C API."""

import pytest

from tfcarve.registry.c_api import CKernel, COp, scan

_MARK = 'TFCARVE_C_{} {} "a.cc" TFCARVE_END '
_KERNEL = _MARK.format("KERNEL", 5) + "TF_NewKernelBuilder"
_OP = _MARK.format("OP", 7) + "TF_NewOpDefinitionBuilder"


def test_kernel() -> None:
    text = f"""void Register() {{
      auto* builder = {_KERNEL}("A", DEVICE_CPU, &create, &compute, &destroy);
      TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
      TF_KernelBuilder_HostMemory(builder, "x");
      TF_KernelBuilder_Priority(builder, 3);
      TF_RegisterKernelBuilder("AOp", builder, status);
      TF_KernelBuilder_HostMemory(other, "not_ours");
    }}"""
    assert list(scan(text)) == [
        CKernel("a.cc", 5, "AOp", '"A"', "DEVICE_CPU", (('"T"', "TF_FLOAT", False),), ('"x"',), "3")
    ]


def test_template() -> None:
    text = f"""template <typename U> void Register() {{
      auto* builder = {_KERNEL}("A", DEVICE_CPU, &create, &compute<U>, &destroy);
      TF_KernelBuilder_TypeConstraint(builder, "T",
          static_cast<TF_DataType>(tensorflow::DataTypeToEnum<U>::v()), status);
      TF_RegisterKernelBuilder("AOp", builder, status);
    }}
    bool done = []() {{ Register<int64_t>(); Register< Eigen::half >(); return true; }}();"""
    assert [k.constraints for k in scan(text) if isinstance(k, CKernel)] == [
        (('"T"', "int64_t", True),),
        (('"T"', "Eigen::half", True),),
    ]


def test_op() -> None:
    text = f"""auto* b = {_OP}("A");
      TF_OpDefinitionBuilderAddInput(b, "x: T");
      TF_OpDefinitionBuilderAddOutput(b, "y: T");
      TF_OpDefinitionBuilderAddAttr(b, "T: type");
      TF_OpDefinitionBuilderSetIsStateful(b, true);
      TF_RegisterOpDefinition(b, status);"""
    assert list(scan(text)) == [
        COp("a.cc", 7, '"A"', ('"T: type"',), ('"x: T"',), ('"y: T"',), True)
    ]


def test_the_definition_of_the_api_registers_nothing() -> None:
    assert list(scan(f"TF_KernelBuilder* {_KERNEL}(const char* op_name) {{ }}")) == []


def _template(name: str, types: int, constraints: int) -> str:
    constraint = 'TF_KernelBuilder_TypeConstraint(b, "T", DataTypeToEnum<T>::v(), s);\n'
    return f"""template <typename T> void {name}() {{
      auto* b = {_KERNEL}("{name}", DEVICE_CPU, &create, &compute<T>, &destroy);
      {constraint * constraints}
      TF_RegisterKernelBuilder("{name}Op", b, s);
    }}
    void {name}All() {{ {" ".join(f"{name}<std::complex<t{i}>>();" for i in range(types))} }}"""


def test_each_template_has_its_own_types() -> None:
    found = [k for k in scan(_template("A", 1, 1) + _template("B", 2, 1)) if isinstance(k, CKernel)]
    assert [(k.op, k.constraints[0][1]) for k in found] == [
        ('"A"', "std::complex<t0>"),
        ('"B"', "std::complex<t0>"),
        ('"B"', "std::complex<t1>"),
    ]


def test_a_builder_that_is_never_registered() -> None:
    text = f"""{_KERNEL}("A", DEVICE_CPU, &a, &b, &c);
    auto* b = {_KERNEL}("B", DEVICE_CPU, &a, &b, &c); TF_RegisterKernelBuilder("BOp", b, s);"""
    assert [k.op for k in scan(text) if isinstance(k, CKernel)] == ['"B"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_template("A", 200, 200), "more than 10000 kernels"),
        (f'{_KERNEL}("A", X) TF_KernelBuilder_Priority({_KERNEL}("B", X));', "inside a call: TF_Ker"),
        (f'{_KERNEL}("A", X) TF_RegisterKernelBuilder(', "unterminated bracket"),
    ],
)  # fmt: skip
def test_malformed(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(scan(text))
