"""Tests of units."""

import pytest
from selections import selection

from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.releases import known


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
    assert units.helpers(selection(helpers=["k/h.cc"])) == {
        "k__h.cc": b'#include "selected.h"\n#include "k/h.cc"\n'
    }


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
        < units.units(chosen).keys() | units.helpers(chosen).keys()
    )


def test_sources_of_tensorflow_can_be_overridden() -> None:
    source = "tensorflow/core/kernels/h.cc"
    (helper,) = units.helpers(selection(helpers=[source])).values()
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
