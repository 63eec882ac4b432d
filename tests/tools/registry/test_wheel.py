"""Compares the index with what full TensorFlow registers: all kernels, class texts and ops of its wheel.

wheel_exceptions.yaml lists exceptions with reasons. An exception that is no longer needed fails a test.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import trees
import yaml

from tfcarve import dtypes
from tfcarve.models.node_use import AttrValue
from tfcarve.op_definition import Argument
from tfcarve.registry import index, scan
from tfcarve.registry.index import Deprecation, KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import kernel_match

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
kernels = pytest.importorskip("tensorflow.python.framework.kernels")

# The defines of the wheel's build that registrations depend on.
_DEFINES = ("NDEBUG", "INTEL_MKL", "ENABLE_ONEDNN_V3")
_EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "wheel_exceptions.yaml").read_text())

Key = tuple[Any, ...]


@pytest.fixture(scope="module")
def built() -> KernelIndex:
    settings = Settings(_DEFINES, find_compiler(os.environ))
    return index.parse(scan.make_index(trees.tensorflow(), known.release(), settings), "index")


@pytest.fixture(scope="module")
def registered() -> list[Any]:
    """The wheel's kernels for CPU and for any device, without those of MKL."""
    everything = kernels.get_all_registered_kernels().kernel
    return [
        k
        for k in everything
        if k.device_type in ("CPU", "DEFAULT")
        and "kl" not in k.label
        and not k.op.startswith("_Mkl")
    ]


def _theirs(kernel: Any) -> Key:
    types, others = [], []
    for constraint in kernel.constraint:
        values = constraint.allowed_values.list
        if values.type:
            names = sorted(str(dtypes.from_number(t)) for t in values.type)
            types.append((constraint.name, tuple(names)))
        else:
            found = (*(s.decode() for s in values.s), *values.i, *values.b)
            others.append((constraint.name, found))
    return (
        kernel.op,
        kernel.device_type,
        kernel.label,
        kernel.priority,
        tuple(kernel.host_memory_arg),
        tuple(sorted(types)),
        tuple(sorted(others)),
    )


def test_registrations(built: KernelIndex, registered: list[Any]) -> None:
    ours = Counter(
        (r.op, r.device, r.label, r.priority, r.host_memory,
         tuple((a, tuple(sorted(t))) for a, t in r.constraints.items()), tuple(r.attr_constraints.items()))
        for r in built.registrations
    )  # fmt: skip
    theirs = Counter(map(_theirs, registered))
    cpu = [k for k in registered if k.device_type == "CPU"]
    assert (len(cpu), len({k.op for k in cpu})) == (8796, 1368)
    missing = Counter(key[0] for key in (theirs - ours).elements())
    allowed = {row["op"]: row["kernels"] for row in _EXCEPTIONS["kernels"]}
    assert dict(missing) == allowed, (
        "what is not in the index must be what wheel_exceptions.yaml says"
    )


def _node(kernel: Any) -> tuple[bytes, dict[str, AttrValue]]:
    from tensorflow.core.framework import node_def_pb2

    node = node_def_pb2.NodeDef(name="x", op=kernel.op, device="/device:CPU:0")
    attrs = {}
    if kernel.label:
        node.attr["_kernel"].s = kernel.label.encode()
        attrs["_kernel"] = AttrValue("string", kernel.label)
    for constraint in kernel.constraint:
        values, name = constraint.allowed_values.list, constraint.name
        if values.type:
            node.attr[name].type = values.type[0]
            attrs[name] = AttrValue("type", dtypes.from_number(values.type[0]))
        elif values.s:
            node.attr[name].s = values.s[0]
            attrs[name] = AttrValue("string", values.s[0].decode())
        elif values.i:
            node.attr[name].i = values.i[0]
            attrs[name] = AttrValue("int", values.i[0])
        else:
            node.attr[name].b = values.b[0]
            attrs[name] = AttrValue("bool", values.b[0])
    return cast(bytes, node.SerializeToString()), attrs


def test_class_text(built: KernelIndex, registered: list[Any]) -> None:
    from tensorflow.python.util import _pywrap_kernel_registry

    excused = {row["op"] for row in _EXCEPTIONS["kernels"]}
    wrong = []
    for kernel in registered:
        if kernel.device_type != "CPU" or kernel.op in excused:
            continue
        node, attrs = _node(kernel)
        theirs = _pywrap_kernel_registry.TryFindKernelClass(node).decode()
        found = kernel_match.find(built.registrations_of(kernel.op), "CPU", attrs)
        ours = [r.clazz for r in found.kernels]
        # Quantized fusions have more attributes than their kernels' constraints say.
        if ours != [theirs] and theirs:
            wrong.append((kernel.op, ours, theirs))
    assert wrong == []


def _default(value: Any, kind: str) -> Any:
    if kind.startswith("list("):
        inner = kind[len("list(") : -1]
        fields = {"type": "type", "int": "i", "string": "s", "float": "f", "bool": "b"}
        if inner not in fields:
            return None
        items = getattr(value.list, fields[inner])
        if inner == "type":
            return tuple(dtypes.from_number(t) for t in items)
        return (
            tuple(s.decode() for s in items) if inner == "string" else pytest.approx(tuple(items))
        )
    match kind:
        case "type":
            return dtypes.from_number(value.type)
        case "string":
            return value.s.decode()
        case "int":
            return value.i
        case "bool":
            return value.b
        case "float":
            return str(value.f) if abs(value.f) == float("inf") else pytest.approx(value.f)
        case _:
            return None


def _argument(arg: Any) -> Argument:
    return Argument(
        arg.name,
        dtypes.from_number(arg.type) or "",
        arg.type_attr,
        arg.number_attr,
        arg.type_list_attr,
        arg.is_ref,
    )


def test_op_definitions(built: KernelIndex) -> None:
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session

    theirs = op_def_pb2.OpList()
    theirs.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    missing = [op.name for op in theirs.op if built.op(op.name) is None]
    assert sorted(missing) == sorted(row["op"] for row in _EXCEPTIONS["ops"])
    for op in theirs.op:
        ours = built.op(op.name)
        if ours is None:
            continue
        assert ours.stateful == op.is_stateful, op.name
        assert ours.inputs == tuple(map(_argument, op.input_arg)), op.name
        assert ours.outputs == tuple(map(_argument, op.output_arg)), op.name
        deprecation = Deprecation(op.deprecation.version, op.deprecation.explanation)
        expected_deprecation = deprecation if op.HasField("deprecation") else None
        assert ours.deprecation == expected_deprecation, op.name
        assert list(ours.attrs) == [a.name for a in op.attr], op.name
        for mine, attr in zip(ours.attrs.values(), op.attr, strict=True):
            where = f"{op.name}.{attr.name}"
            values = attr.allowed_values.list
            allowed = [dtypes.from_number(t) for t in values.type] or [s.decode() for s in values.s]
            assert mine.type == attr.type, where
            assert list(mine.allowed) == list(dict.fromkeys(allowed)), where
            assert mine.minimum == (attr.minimum if attr.has_minimum else None), where
            if not attr.HasField("default_value"):
                assert mine.default is None, where
            else:
                expected = _default(attr.default_value, attr.type)
                assert expected is None or mine.default == expected, where


def test_nothing_for_cpu_is_unresolved(built: KernelIndex) -> None:
    excused = {row["file"] for row in _EXCEPTIONS["kernels"]}
    files = {u.file for u in built.unresolved if not u.file.startswith("tensorflow/compiler/")}
    assert files <= excused


def test_every_exception_has_a_reason_and_a_file() -> None:
    for row in [*_EXCEPTIONS["kernels"], *_EXCEPTIONS["ops"]]:
        assert row["reason"], row
        assert (trees.tensorflow() / row["file"]).is_file(), row
