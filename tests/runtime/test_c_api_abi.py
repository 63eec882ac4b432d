"""The binary interface of the C interface is the recorded one."""

import os
from pathlib import Path

from runtime import c_api_abi


def _header() -> Path:
    return Path(os.environ["RUNFILES_DIR"], os.environ["C_API_HEADERS"])


def test_interface_is_the_recorded_one() -> None:
    recorded = Path(__file__).with_name("c_api_abi.txt").read_text(encoding="utf-8")
    assert c_api_abi.described(_header()) == recorded, c_api_abi.__doc__


def test_a_changed_member_is_noticed(tmp_path: Path) -> None:
    text = _header().read_text(encoding="utf-8")
    for before, after in (
        ("int32_t rank; ", "int64_t rank; "),
        ("TFCARVE_CANCELLED = 1", "TFCARVE_CANCELLED = 17"),
        ("void tfcarve_cancel(tfcarve_cancellation*)", "int tfcarve_cancel(tfcarve_cancellation*)"),
    ):
        changed = tmp_path / "changed.h"
        assert before in text
        changed.write_text(text.replace(before, after, 1), encoding="utf-8")
        assert c_api_abi.described(changed) != c_api_abi.described(_header())
