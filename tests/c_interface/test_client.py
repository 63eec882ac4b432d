"""The declarations that the Python client has are those of the header of the C interface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from c_interface import client, header
from tfcarve import dtypes
from tfcarve.client import c_interface

_TEXT = header.PATH.read_text(encoding="utf-8")
# Words of declarations, and words that change the declaration that they are put into.
_OTHER = {
    "TFCARVE_API_VERSION 100": "TFCARVE_API_VERSION 101",
    "int32_t": "int64_t",
    "int64_t": "size_t",
    "size_t": "int32_t",
    "char*": "void*",
    "tfcarve_tensor*": "tfcarve_buffer*",
}
_COMMENT = re.compile(r"//.*")


def _module(text: str, folder: Path) -> str:
    file = folder / "changed.h"
    file.write_text(text, encoding="utf-8")
    return client.module(header.read(file))


def test_module_is_up_to_date() -> None:
    written = Path(c_interface.__file__).read_text(encoding="utf-8")
    assert written == client.module(header.read()), (
        "run: PYTHONPATH=tests python -m c_interface.update"
    )


def _changes() -> Iterator[str]:
    """Yields the header with one changed type or number, for each type and number of its declarations."""
    code = _COMMENT.sub("", _TEXT)
    for word, other in _OTHER.items():
        for found in re.finditer(rf"\b{re.escape(word)}", code):
            yield code[: found.start()] + other + code[found.end() :]
    for found in re.finditer(r"(?<= = )\d+", code):
        yield code[: found.start()] + "99" + code[found.end() :]


def test_each_changed_type_is_noticed(tmp_path: Path) -> None:
    current = client.module(header.read())
    changes = list(_changes())
    assert len(changes) > 100
    for text in changes:
        assert _module(text, tmp_path) != current, text


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("float tfcarve_one(void);", "no type of ctypes is known for float"),
        ("void tfcarve_one(const double* text);", "no type of ctypes is known for double"),
        (
            "typedef int32_t tfcarve_number;",
            "tfcarve_number: neither a function",
        ),
    ],
)
def test_declarations_without_a_form_in_ctypes(
    declaration: str, message: str, tmp_path: Path
) -> None:
    text = f"#define TFCARVE_API_VERSION 1\n{declaration}\n"
    with pytest.raises(ValueError, match=message):
        _module(text, tmp_path)


def test_numbers_of_data_types() -> None:
    assert len(c_interface.Dtype) > 10
    for member in c_interface.Dtype:
        name = dtypes.from_enum(f"DT_{member.name}")
        assert name is not None and dtypes.NUMBER_OF[name] == member
