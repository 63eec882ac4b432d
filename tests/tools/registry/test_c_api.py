"""Tests of registrations through the C API."""

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
