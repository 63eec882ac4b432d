"""newer_ops.json and dropped_attributes.yaml agree with the installed TensorFlow and with the definitions of 2.21."""

from __future__ import annotations

import json

import newer_nodes
import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from tfcarve.errors import InvalidInput
from tfcarve.newer import data
from tfcarve.newer.values import value_of
from tfcarve.newer.versions import order
from tfcarve.releases import known

_NEWER = data.load(known.release())
_UPDATE = "to update: PYTHONPATH=tools:tests python -m op_lists.update RELEASE VERSION... (CONTRIBUTING.md)"


def test_the_release_is_the_one_that_is_built_and_installed() -> None:
    assert _NEWER.data.tensorflow == known.release().version == tf.version.VERSION, _UPDATE
    assert _NEWER.data.graph_version == tf.version.GRAPH_DEF_VERSION


def test_every_later_release_is_there() -> None:
    names = [row.name for row in _NEWER.data.releases]
    assert names == ["2.15", "2.16", "2.17", "2.18", "2.19", "2.20", "2.21"], _UPDATE
    versions = [_NEWER.data.graph_version, *(row.graph_version for row in _NEWER.data.releases)]
    assert versions == sorted(set(versions))
    rows = (*_NEWER.data.ops, *_NEWER.data.attributes)
    assert {row.first for row in rows} == set(names) - {"2.19"}  # 2.19 added no op and no attribute


def test_the_release_has_none_of_the_ops() -> None:
    assert [op for op in _NEWER.ops if op_def_registry.get(op)] == []
    # The control: there are ops, and TensorFlow finds others.
    assert "FFTND" in _NEWER.ops and op_def_registry.get("FFT3D")


def test_the_release_has_the_ops_without_the_attributes() -> None:
    for row in _NEWER.data.attributes:
        definition = op_def_registry.get(row.op)
        assert definition is not None, row
        assert row.attribute not in {attr.name for attr in definition.attr}, row


def test_the_attributes_and_defaults_are_those_of_2_21() -> None:
    found = {}
    for op in newer_nodes.definitions().op:
        old = {attr.name for attr in op_def_registry.get(op.name).attr}
        found |= {(op.name, attr.name): attr for attr in op.attr if attr.name not in old}
    rows = {(row.op, row.attribute): row for row in _NEWER.data.attributes}
    assert rows.keys() - found.keys() == {("CustomAggregator", "initial_num_bins")}  # before 2.17
    for key, attr in found.items():
        default = value_of(attr.default_value)
        assert (rows[key].type, rows[key].default) == (attr.type, default.value)
        assert (default.kind, type(rows[key].default)) == (attr.type, type(default.value))


def test_dropped_attributes_are_new_attributes() -> None:
    rows = {(row.op, row.attribute): row for row in _NEWER.data.attributes}
    listed = [(op, name) for row in _NEWER.dropped for op in row.ops for name in row.attributes]
    assert len(listed) == len(set(listed))
    assert set(listed) <= rows.keys()
    for each in _NEWER.dropped:
        if each.values is not None:
            assert {rows[op, name].type for op in each.ops for name in each.attributes} == {
                "string"
            }


def test_rows_are_sorted() -> None:
    assert list(_NEWER.ops) == sorted(_NEWER.ops)
    keys = [(row.op, row.attribute) for row in _NEWER.data.attributes]
    assert keys == sorted(keys)


def test_releases_are_ordered_as_numbers() -> None:
    assert sorted(("2.9", "2.21", "2.14", "unknown", "3.0"), key=order) == [
        *("unknown", "2.9", "2.14", "2.21", "3.0")
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 2 is not supported.*update"),
        ({"ops": [{"op": "A"}]}, r"\$\.ops\[0\]"),
        ({"more": 1}, "unknown field `more`"),
    ],
)
def test_other_documents_are_refused(change: dict[str, object], message: str) -> None:
    document = {
        "version": 1,
        "tensorflow": "1.2.3",
        "graph_version": 5,
        "releases": [],
        "ops": [],
        "attributes": [],
    }
    assert data.parse(json.dumps(document).encode(), "x.json").graph_version == 5
    with pytest.raises(InvalidInput, match=message):
        data.parse(json.dumps(document | change).encode(), "x.json")
