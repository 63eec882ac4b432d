"""Compares the index with what full TensorFlow registers: all kernels, class texts and ops of its wheel.

wheel_exceptions.yaml lists exceptions with reasons. An exception that is no longer needed fails a test.
"""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

import asking_sources
import pytest
import trees
import yaml

from tfcarve import dtypes
from tfcarve.emit import op_definition
from tfcarve.models.node_use import AttrValue
from tfcarve.registry import index, scan
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.releases import known
from tfcarve.selection import kernel_match, runtime

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


def _without_documentation(op: Any) -> Any:
    """A copy of an OpDef with the facts that a library needs without a session."""
    copy = type(op)()
    copy.CopyFrom(op)
    for name in (
        "summary",
        "description",
        "is_commutative",
        "is_aggregate",
        "allows_uninitialized_input",
        "is_distributed_communication",
    ):
        copy.ClearField(name)
    for argument in (*copy.input_arg, *copy.output_arg):
        argument.ClearField("description")
        argument.ClearField("experimental_full_type")
    for attr in copy.attr:
        attr.ClearField("description")
        # The definitions of some ops name a type twice.
        types = list(dict.fromkeys(attr.allowed_values.list.type))
        if types:
            attr.allowed_values.list.type[:] = types
    return copy


def test_op_definitions(built: KernelIndex) -> None:
    """The index has each op definition, and libraries get an equal message."""
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session

    theirs = op_def_pb2.OpList()
    theirs.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    missing = [op.name for op in theirs.op if built.op(op.name) is None]
    assert sorted(missing) == sorted(row["op"] for row in _EXCEPTIONS["ops"])
    for op in theirs.op:
        ours = built.op(op.name)
        if ours is not None:
            encoded = op_def_pb2.OpDef.FromString(op_definition.encoded(ours))
            assert _without_documentation(encoded) == _without_documentation(op)


# What kernels ask their contexts for and get only in a session.
_OF_A_SESSION = re.compile(
    r"(?:->|\.)(?:call_frame|collective_executor|function_library|rendezvous|session_metadata|session_state|stats_collector"
    r"|tensor_store)\(\)"
)
# Ops of kernels that do not ask, in sources with kernels that do.
_ASK_NOTHING = {"DeviceIndex", "FakeParam", "ToBool"}


def test_plans_run_no_kernels_that_ask_for_parts_of_a_session(built: KernelIndex) -> None:
    asks = asking_sources.finder(
        trees.tensorflow(), _OF_A_SESSION, ("dataset", "function", "op_kernel")
    )
    session_ops = runtime.load(known.release())
    asking = {
        registration.op
        for registration in built.registrations
        if registration.device != "GPU"
        and registration.file.startswith(known.release().units.folders)
        and asks(registration.file)
    }
    assert "BatchDatasetV2" in asking
    run = {name for name in asking if (op := built.op(name)) and not session_ops.why(op)}
    assert run - session_ops.own - session_ops.control_flow == _ASK_NOTHING


def test_nothing_for_cpu_is_unresolved(built: KernelIndex) -> None:
    excused = {row["file"] for row in _EXCEPTIONS["kernels"]}
    files = {u.file for u in built.unresolved if not u.file.startswith("tensorflow/compiler/")}
    assert files <= excused


def test_every_exception_has_a_reason_and_a_file() -> None:
    for row in [*_EXCEPTIONS["kernels"], *_EXCEPTIONS["ops"]]:
        assert row["reason"], row
        assert (trees.tensorflow() / row["file"]).is_file(), row
