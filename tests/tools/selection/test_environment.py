"""Which kernels ask their device for TensorFlow's environment."""

from __future__ import annotations

import functools
import re

import msgspec
import pytest
import trees
from selections import selection

from tfcarve.build_files import sources
from tfcarve.build_files.core import core_of
from tfcarve.releases import known
from tfcarve.selection.environment import is_needed

_RELEASE = known.release()
# Headers of the core that declare the accessors. All kernels include the first two.
_ACCESSORS = {
    f"tensorflow/core/framework/{name}.h"
    for name in ("op_kernel", "device_base", "function", "dataset")
}
_ASKS = re.compile(r"\benv\(\)")


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("tensorflow/core/kernels/relu_op.cc", False),
        ("tensorflow/core/kernels/whole_file_read_ops.cc", True),
        ("tensorflow/core/kernels/data/range_dataset_op.cc", True),
        ("app/custom_op.cc", True),
    ],
)
def test_is_needed(source: str, needed: bool) -> None:
    wanted = selection(())
    assert is_needed(msgspec.structs.replace(wanted, files=(source,)), _RELEASE) == needed
    assert is_needed(msgspec.structs.replace(wanted, helpers=(source,)), _RELEASE) == needed


def test_the_list_has_all_sources_that_ask_and_no_others() -> None:
    version_h = trees.tensorflow(_RELEASE.version) / "tensorflow/core/public/version.h"
    root = version_h.resolve().parents[3]
    files = sources.below(root)

    @functools.cache
    def asks(path: str) -> bool:
        file = root / path
        return file.is_file() and bool(_ASKS.search(file.read_text(errors="replace")))

    listed = _RELEASE.units.with_environment
    found = {
        source
        for source in core_of(root, _RELEASE).unit_sources
        if any(map(asks, {source, *files.closure([source])} - _ACCESSORS))
    }
    missing = {source for source in found if not source.startswith(listed)}
    # Devices for GPUs, and ops for tests.
    assert {s for s in missing if not s.startswith("tensorflow/core/common_runtime/")} == set()
    assert [entry for entry in listed if not any(s.startswith(entry) for s in found)] == []
