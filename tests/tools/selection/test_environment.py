"""Which kernels ask their device for TensorFlow's environment."""

from __future__ import annotations

import re

import asking_sources
import msgspec
import pytest
import trees
from selections import selection

from tfcarve.build_files.core import core_of
from tfcarve.releases import known
from tfcarve.selection.environment import is_needed

_RELEASE = known.release()


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
    # All kernels include the first two headers.
    declaring = ("op_kernel", "device_base", "function", "dataset")
    asks = asking_sources.finder(root, re.compile(r"\benv\(\)"), declaring)
    listed = _RELEASE.units.with_environment
    found = set(filter(asks, core_of(root, _RELEASE).unit_sources))
    missing = {source for source in found if not source.startswith(listed)}
    # Devices for GPUs, and ops for tests.
    assert {s for s in missing if not s.startswith("tensorflow/core/common_runtime/")} == set()
    assert [entry for entry in listed if not any(s.startswith(entry) for s in found)] == []
