"""The binary interface of the C interface is the recorded one."""

import re
import shutil
from pathlib import Path

import pytest

from c_interface import header
from runtime.include import c_api_abi


@pytest.fixture(autouse=True)
def _require_compilers() -> None:
    for compiler in c_api_abi.COMPILERS:
        if shutil.which(compiler) is None:
            pytest.skip(f"no {compiler} on PATH")


def test_interface_is_the_recorded_one() -> None:
    recorded = Path(__file__).with_name("c_api_abi.txt").read_text(encoding="utf-8")
    assert c_api_abi.described(header.PATH) == recorded, c_api_abi.__doc__


def test_a_changed_member_is_noticed(tmp_path: Path) -> None:
    text = header.PATH.read_text(encoding="utf-8")
    for before, after in (
        ("int32_t rank; ", "int64_t rank; "),
        # They have the same size on 64-bit machines.
        ("size_t memory_limit;", "uint64_t memory_limit;"),
        ("TFCARVE_CANCELLED = 1", "TFCARVE_CANCELLED = 17"),
        ("void tfcarve_cancel(tfcarve_cancellation*)", "int tfcarve_cancel(tfcarve_cancellation*)"),
    ):
        changed = tmp_path / "changed.h"
        assert before in text
        changed.write_text(text.replace(before, after, 1), encoding="utf-8")
        assert c_api_abi.described(changed) != c_api_abi.described(header.PATH)


def test_functions_are_all_names_that_precede_a_parenthesis() -> None:
    code = re.sub(r"//.*", "", header.PATH.read_text(encoding="utf-8"))
    assert c_api_abi.functions(header.PATH) == set(re.findall(r"\b(tfcarve_\w+)\(", code))
