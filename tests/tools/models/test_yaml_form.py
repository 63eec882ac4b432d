"""Tests of reading YAML settings: a text that is accepted has the same value as with PyYAML's loader."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import yaml_form
from tfcarve.models.yaml_form import YamlError, load
from tfcarve.releases import known


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("a", "a"),
        ("[a, 'true', true, No, ~, 12, -3, 1.5, '7']", ["a", "true", True, False, None, 12, -3, "1.5", "7"]),
        ("a: {b: [c, {d: e}], f: }", {"a": {"b": ["c", {"d": "e"}], "f": None}}),
        ("a:\n- b\n- c: |\n    text\n", {"a": ["b", {"c": "text\n"}]}),
        ("tRue", "tRue"),
    ],
)  # fmt: skip
def test_values(text: str, value: Any) -> None:
    assert load(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "invalid YAML: "),
        ("a: \x00", "invalid YAML: "),
        ("b: 1\na: &x [1]", "line 2: anchors, aliases and tags are not supported"),
        ("a: [1]\nb: *x", "line 2: anchors, aliases and tags are not supported"),
        ("!!python/name:os.system", "line 1: anchors, aliases and tags are not supported"),
        ("!own a", "anchors, aliases and tags are not supported"),
        ("a: 1\na: 2", "line 2: duplicate key: 'a'"),
        ("1: 2", "key is not a string: 1"),
        ("[a]: 2", "key is not a string"),
        ("a\n---\nb", "more than one document"),
        ("[" * 20 + "]" * 20, "nested more than 16 levels deep"),
        ("[" + "a," * 50_000 + "a]", "more than 50000 values"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(YamlError, match=message):
        load(text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(_VALUES, st.booleans())
def test_same_as_pyyaml(value: Any, flow: bool) -> None:
    class NoAliases(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    assert load(yaml.dump(value, Dumper=NoAliases, default_flow_style=flow)) == value


@given(st.text(alphabet="ab:-[]{},'\"#&*!|> \n~1", max_size=40))
def test_any_text(text: str) -> None:
    try:
        load(text)
    except YamlError as error:
        assert str(error)


def test_files_of_releases() -> None:
    """They are in the subset, and this reader and PyYAML agree about each of them."""
    texts = [file.read_text(encoding="utf-8") for file in known.folder().glob("*/*.yaml")]
    assert len(texts) >= 5
    for text in texts:
        assert load(text) == yaml.safe_load(text)


def test_nothing_else_reads_yaml() -> None:
    """Control: the search finds the import in this reader."""
    reader = Path(yaml_form.__file__)
    importing = re.compile(r"^\s*(import yaml|from yaml)\b", re.MULTILINE)
    found = [f for f in reader.parents[1].rglob("*.py") if importing.search(f.read_text())]
    assert found == [reader]
