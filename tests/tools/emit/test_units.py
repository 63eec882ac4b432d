"""Tests of units."""

import msgspec
import pytest
from selections import selection

from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.registry.index import KernelIndex, OpDefinition
from tfcarve.releases import known
from tfcarve.selection.selection import Selection


def test_units() -> None:
    generated = units.units(
        selection(
            [("B", "BOp<CPU, float>", "k/b.cc"), ("A", "AOp", "k/b.cc"), ("C", "AOp", "k/b.cc")],
            [("A", "o/ops.cc")],
            [("_Arg", "ArgOp", "k/f.cc")],
        )
    )
    assert generated == {
        "k__b.cc": b'#define TFCARVE_KERNEL_CLASSES "AOp", "BOp<CPU, float>"\n'
        b'#define TFCARVE_OPS "A", "B", "C"\n#define TFCARVE_UNIT "k/b.cc"\n'
        b'#include "registration_table.h"\n#include "k/b.cc"\n',
        "k__f.cc": b'#define TFCARVE_UNIT "k/f.cc"\n'
        b'#include "registration_table.h"\n#include "k/f.cc"\n',
        "o__ops.cc": b'#define TFCARVE_OPS "A"\n#define TFCARVE_UNIT "o/ops.cc"\n'
        b'#include "registration_table.h"\n#include "o/ops.cc"\n',
    }


def test_helpers() -> None:
    assert units.helpers(selection(helpers=["k/h.cc"]), known.release()) == {
        "k__h.cc": b'#include "selected.h"\n#include "k/h.cc"\n'
    }


def test_helpers_that_overrides_drop() -> None:
    kernels = "tensorflow/core/kernels"
    helpers = [
        f"{kernels}/tile_functor_cpu_float.cc",
        *(f"{kernels}/tile_ops_cpu_impl_{rank}.cc" for rank in range(1, 8)),
    ]
    found = units.helpers(selection(helpers=helpers), known.release())
    # A header leaves the first one empty, and an override has the gradients of all ranks.
    assert found.keys() == {"tensorflow__core__kernels__tile_ops_cpu_impl_1.cc"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("tensorflow/c/kernels/bitcast_op.cc", {"h__own.cc"}),
        # It has no override.
        ("tensorflow/c/kernels/merge_summary_op.cc", {"h__own.cc", "tensorflow__c__kernels.cc"}),
    ],
)
def test_helpers_that_an_override_does_not_need(source: str, expected: set[str]) -> None:
    chosen = selection([("A", "AOp", source)], helpers=["tensorflow/c/kernels.cc", "h/own.cc"])
    assert units.helpers(chosen, known.release()).keys() == expected


def test_hot_names() -> None:
    kernels = "tensorflow/core/kernels"
    chosen = selection(
        [("A", "AOp", f"{kernels}/matmul_op_real.cc"), ("B", "BOp", f"{kernels}/no_op.cc")],
        helpers=[f"{kernels}/transpose_functor_cpu.cc", f"{kernels}/ops_util.cc", "app.cc"],
    )
    assert units.hot_names(chosen, known.release()) == {
        "tensorflow__core__kernels__matmul_op_real.cc",
        "tensorflow__core__kernels__transpose_functor_cpu.cc",
    }
    assert (
        units.hot_names(chosen, known.release())
        < units.units(chosen).keys() | units.helpers(chosen, known.release()).keys()
    )


def test_sources_of_tensorflow_can_be_overridden() -> None:
    source = "tensorflow/core/kernels/h.cc"
    (helper,) = units.helpers(selection(helpers=[source]), known.release()).values()
    (unit,) = units.units(selection([("H", "HOp", source)])).values()
    assert helper.endswith(b"\n#include <tensorflow/core/kernels/h.cc>\n")
    assert unit.endswith(b"\n#include <tensorflow/core/kernels/h.cc>\n")


def test_hostile_names_stay_string_literals() -> None:
    (unit,) = units.units(selection([("A", 'x"\n#include "/etc/passwd', "k.cc")])).values()
    assert (
        unit.splitlines()[0] == rb'#define TFCARVE_KERNEL_CLASSES "x\"\012#include \"/etc/passwd"'
    )


@pytest.mark.parametrize("path", ['a".cc', "a\nb.cc", "../a.cc", "", "a b.cc"])
def test_invalid_paths(path: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid source path"):
        units.file_name(path)


def test_file_name_of_an_absolute_path() -> None:
    assert units.file_name("/app/op.cc") == "app__op.cc"


def test_unit_never_has_the_name_of_its_source() -> None:
    assert units.file_name("op.cc") == "__op.cc"


def test_two_units_with_the_same_name() -> None:
    clash = selection([("A", "AOp", "a/b__c.cc"), ("B", "BOp", "a__b/c.cc")])
    with pytest.raises(
        InvalidInput, match="a__b__c.cc would have the name of another source's unit"
    ):
        units.units(clash)


_ARRAY_OPS = "tensorflow/core/ops/array_ops.cc"
_RELU = "tensorflow/core/kernels/relu_op.cc"
_BOTH = "tensorflow/core/kernels/both.cc"
_CUSTOM = "app/custom_op.cc"


def _index(*ops: tuple[str, str]) -> KernelIndex:
    defined = [OpDefinition(name, file, 1) for name, file in ops]
    return KernelIndex(selection().tensorflow, (), tuple(defined))


_INDEX = _index(("Rank", _ARRAY_OPS), ("_Arg", _ARRAY_OPS), ("Both", _BOTH))


def _plan(**fields: object) -> Selection:
    chosen = selection(
        [("Relu", "ReluOp", _RELU), ("Both", "BothOp", _BOTH), ("Mine", "MyOp", _CUSTOM)],
        [("Both", _BOTH), ("Mine", _CUSTOM), ("Rank", _ARRAY_OPS), ("_Arg", _ARRAY_OPS)],
        helpers=("h/array.cc", "h/both.cc", "h/relu.cc"),
    )
    system = [msgspec.structs.replace(op, system=op.name == "_Arg") for op in chosen.ops]
    helpers_of = {
        _ARRAY_OPS: ("h/array.cc", "h/both.cc"),
        _RELU: ("h/both.cc", "h/relu.cc"),
    }
    return msgspec.structs.replace(
        chosen, ops=tuple(system), helpers_of=helpers_of, **({"runtime": "plan"} | fields)
    )


def test_definitions_are_stored_for_a_plan() -> None:
    index = KernelIndex(
        _INDEX.tensorflow,
        (),
        tuple(msgspec.structs.replace(op, system=op.name == "_Arg") for op in _INDEX.ops),
    )
    generated = units.units(_plan(), index)
    name = "tensorflow__core__ops__array_ops.cc"
    assert (
        generated[name]
        == (
            f'#define TFCARVE_UNIT "{_ARRAY_OPS}"\n#include "op_definitions.h"\n'
            'TFCARVE_DEFINE_OP("Rank", false,\n                  "\\012\\004Rank")\n'
            'TFCARVE_DEFINE_OP("_Arg", true,\n                  "\\012\\004_Arg")\n'
        ).encode()
    )
    sources = units.units(_plan())
    # Sources that also have kernels, and custom ops, are compiled.
    assert {key for key in sources if sources[key] != generated[key]} == {name}
    assert units.is_unit(generated[name])
    assert units.helpers(_plan(), known.release(), index).keys() == {"h__both.cc", "h__relu.cc"}


@pytest.mark.parametrize("runtime", ["flex", "plan", "session"])
def test_shape_functions_are_dropped_for_a_plan(runtime: str) -> None:
    generated = units.units(_plan(runtime=runtime), _INDEX)
    without = {name for name, unit in generated.items() if b'"without_shape_functions.h"\n' in unit}
    defining = {units.file_name(source) for source in (_BOTH, _CUSTOM)}
    assert without == (defining if runtime == "plan" else set())
    # After the unit's other headers, and before its source.
    for name in without:
        assert generated[name].splitlines()[-2] == b'#include "without_shape_functions.h"'


@pytest.mark.parametrize("runtime", ["flex", "session"])
def test_others_need_the_sources_of_definitions(runtime: str) -> None:
    chosen = _plan(runtime=runtime)
    assert units.units(chosen, _INDEX) == units.units(chosen)
    found = units.helpers(chosen, known.release(), _INDEX)
    assert found.keys() == units.helpers(chosen, known.release()).keys()


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (_index(("Both", _BOTH)), "op 'Rank': the kernel index does not define it"),
        (
            msgspec.structs.replace(
                _INDEX,
                tensorflow=msgspec.structs.replace(_INDEX.tensorflow, tree_sha256="cd"),
            ),
            "is not that of the selection",
        ),
    ],
)
def test_an_index_that_is_not_that_of_the_selection(index: KernelIndex, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        units.units(_plan(), index)
